package dev.cortex.drivers.launch;

import java.util.List;

/**
 * The answer of start.
 *
 * @param startTime clock ticks since boot
 * @param timings the steps in order
 */
public record Started(
        int pid, long startTime, String bootId, SocketFile socket, List<Timing> timings, long totalMicros) {

    public FirstProcess first() {
        return new FirstProcess(pid, startTime, bootId);
    }

    public record Timing(String step, long micros) {}
}
