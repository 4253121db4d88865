package dev.cortex.engine.handler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine's memory in bytes; 0 where the kernel does not tell.
 *
 * @param free what could be had without swapping
 */
public record MachineMemory(long total, long free) {
    public static MachineMemory now() {
        long total = 0;
        long free = 0;
        try {
            for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
                if (line.startsWith("MemTotal:")) {
                    total = kibibytes(line);
                } else if (line.startsWith("MemAvailable:")) {
                    free = kibibytes(line);
                }
            }
        } catch (IOException | NumberFormatException e) {
            return new MachineMemory(0, 0);
        }
        return new MachineMemory(total, free);
    }

    private static long kibibytes(String line) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
    }
}
