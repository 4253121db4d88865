package dev.cortex.drivers.launch;

import java.util.List;
import java.util.Optional;

/** Asks what many sandboxes are now. */
public record ObserveSpec(int version, List<Subject> handles) {
    public ObserveSpec {
        handles = List.copyOf(handles);
    }

    /**
     * @param key comes back in the answer
     * @param cgroupName tells paused from running, where there is one
     */
    public record Subject(String key, int pid, long startTime, String bootId, Optional<String> cgroupName) {
        public Subject(String key, FirstProcess first, Optional<String> cgroupName) {
            this(key, first.pid(), first.startTime(), first.bootId(), cgroupName);
        }
    }
}
