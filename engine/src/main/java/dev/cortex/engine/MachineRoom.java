package dev.cortex.engine;

import dev.cortex.sandbox.spare.MemoryPressure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether this machine has memory for sandboxes that nobody asked for yet. */
final class MachineRoom implements MemoryPressure {
    private static final Path MEMORY = Path.of("/proc/meminfo");

    /** A spare takes some megabytes; but who is this short needs every one, and soon. */
    private static final double LEAST_FREE = 0.05;

    @Override
    public boolean high() {
        long total = 0;
        long available = 0;
        try {
            for (String line : Files.readAllLines(MEMORY)) {
                if (line.startsWith("MemTotal:")) {
                    total = number(line);
                } else if (line.startsWith("MemAvailable:")) {
                    available = number(line);
                }
            }
        } catch (IOException | NumberFormatException e) {
            return false;
        }
        return available < total * LEAST_FREE;
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }
}
