package dev.cortex.daemon.doctor;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Figures of this machine that bound how many sandboxes it holds, each by the name that the kernel gives it. One that
 * cannot be read is not there.
 */
public final class HostLimits {
    private static final Path SYSCTL = Path.of("/proc/sys");

    private final Map<String, Long> figures = new TreeMap<>();

    private HostLimits() {}

    /** @param home whose file system disks lie on */
    public static HostLimits read(Path home) {
        HostLimits limits = new HostLimits();
        for (String name : new String[] {
            "kernel.pid_max",
            "kernel.threads-max",
            "kernel.pty.max",
            "fs.file-max",
            "fs.nr_open",
            "fs.mount-max",
            "fs.inotify.max_user_instances",
            "user.max_user_namespaces",
            "user.max_mnt_namespaces",
            "user.max_net_namespaces",
            "user.max_pid_namespaces",
            "user.max_ipc_namespaces",
            "user.max_uts_namespaces",
            "user.max_cgroup_namespaces"
        }) {
            limits.sysctl(name);
        }
        limits.put("threads now", word(Path.of("/proc/loadavg"), 3).replaceAll(".*/", ""));
        limits.put("files now", word(Path.of("/proc/sys/fs/file-nr"), 0));
        limits.put("memory available", field(Path.of("/proc/meminfo"), "MemAvailable:", 1), 1024);
        limits.put("open files", field(Path.of("/proc/self/limits"), "Max open files", 4));
        limits.put("own processes", field(Path.of("/proc/self/limits"), "Max processes", 3));
        try {
            limits.figures.put(
                    "disk available", Files.getFileStore(existing(home)).getUsableSpace());
        } catch (IOException e) {
            limits.figures.remove("disk available");
        }
        return limits;
    }

    /** These figures alone, for tests. */
    static HostLimits of(Map<String, Long> figures) {
        HostLimits limits = new HostLimits();
        limits.figures.putAll(figures);
        return limits;
    }

    OptionalLong figure(String name) {
        Long value = figures.get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private void sysctl(String name) {
        put(name, word(SYSCTL.resolve(name.replace('.', '/')), 0));
    }

    private void put(String name, String digits) {
        put(name, digits, 1);
    }

    private void put(String name, String digits, long unit) {
        try {
            figures.put(name, Math.multiplyExact(Long.parseLong(digits), unit));
        } catch (NumberFormatException | ArithmeticException e) {
            // "unlimited", larger than a number here, or not told: it bounds nothing.
            figures.remove(name);
        }
    }

    private static String word(Path file, int index) {
        try {
            String[] words = once(file).strip().split("\\s+");
            return index < words.length ? words[index] : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** In one read: many files of /proc/sys give everything to the first and nothing to a second. */
    private static String once(Path file) throws IOException {
        try (FileInputStream stream = new FileInputStream(file.toFile())) {
            byte[] bytes = new byte[4096];
            int count = Math.max(0, stream.read(bytes));
            return new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
        }
    }

    private static String field(Path file, String begin, int index) {
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                if (line.startsWith(begin)) {
                    String[] words = line.strip().split("\\s+");
                    return index < words.length ? words[index] : "";
                }
            }
            return "";
        } catch (IOException e) {
            return "";
        }
    }

    private static Path existing(Path folder) {
        Path at = folder.toAbsolutePath();
        while (!Files.exists(at) && at.getParent() != null) {
            at = at.getParent();
        }
        return at;
    }
}
