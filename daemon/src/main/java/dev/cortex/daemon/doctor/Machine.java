package dev.cortex.daemon.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine, in one line.
 *
 * @param cgroups {@code v2}, {@code hybrid}, {@code v1} or {@code none}
 */
public record Machine(String kernel, String architecture, int cores, long memoryBytes, String cgroups) {
    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    public static Machine current() {
        return new Machine(
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                architecture(System.getProperty("os.arch", "")),
                Runtime.getRuntime().availableProcessors(),
                memory(),
                cgroupLayout());
    }

    private static String architecture(String jvm) {
        return jvm.equals("amd64") ? "x86_64" : jvm;
    }

    private static long memory() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
                if (line.startsWith("MemTotal:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
            return 0;
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    private static String cgroupLayout() {
        if (Files.exists(CGROUPS.resolve("cgroup.controllers"))) {
            return "v2";
        }
        if (Files.exists(CGROUPS.resolve("unified/cgroup.procs"))) {
            return "hybrid";
        }
        return Files.isDirectory(CGROUPS.resolve("memory")) ? "v1" : "none";
    }
}
