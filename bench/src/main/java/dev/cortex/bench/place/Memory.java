package dev.cortex.bench.place;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What processes take, as the kernel counts it; bytes. */
public final class Memory {
    private Memory() {}

    /** Resident, shared pages included. */
    public static long resident(long pid) throws IOException {
        return kilobytes(Path.of("/proc/" + pid + "/status"), "VmRSS:") * 1024;
    }

    /** Pages that no other process has and that no file holds. */
    public static long privateDirty(long pid) throws IOException {
        return kilobytes(Path.of("/proc/" + pid + "/smaps_rollup"), "Private_Dirty:") * 1024;
    }

    private static long kilobytes(Path file, String name) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }
}
