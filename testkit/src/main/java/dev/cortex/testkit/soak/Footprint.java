package dev.cortex.testkit.soak;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a daemon without sandboxes holds of the machine.
 *
 * @param resident bytes
 * @param groups folders of control groups beneath the home's
 * @param processes in such groups
 * @param mounts that name the home or its run folder
 * @param folders of sandboxes, disks and run files
 * @param rows of each table
 */
public record Footprint(
        long descriptors,
        long threads,
        long resident,
        long groups,
        long processes,
        long mounts,
        long folders,
        Map<String, Long> rows) {
    /** Connections and threads of a server come and go by a few. */
    private static final int FEW = 16;

    /** What a heap may keep of a burst, beside a quarter of what there was. */
    private static final long HEAP_BYTES = 48L << 20;

    /** Looks at the daemon of that pid. */
    public static Footprint of(Home home, long pid) throws IOException {
        String groups = "cortex-" + HomeDatabase.of(home).id().substring(0, 8);
        return new Footprint(
                entries(Path.of("/proc/" + pid + "/fd")),
                entries(Path.of("/proc/" + pid + "/task")),
                resident(pid),
                groups(groups),
                processes(groups),
                mounts(home),
                entries(home.folder().resolve("sandboxes"))
                        + entries(home.folder().resolve("disks"))
                        + entries(home.runFolder()),
                HomeDatabase.of(home).rows());
    }

    /** What the daemon has more of now than it had; empty when nothing leaked. */
    public List<String> leakedSince(Footprint before) {
        List<String> leaks = new ArrayList<>();
        compare(leaks, "descriptors", before.descriptors, descriptors, FEW);
        compare(leaks, "threads", before.threads, threads, FEW);
        compare(leaks, "bytes resident", before.resident, resident, before.resident / 4 + HEAP_BYTES);
        compare(leaks, "control groups", before.groups, groups, 0);
        compare(leaks, "processes", before.processes, processes, 0);
        compare(leaks, "mounts", before.mounts, mounts, 0);
        compare(leaks, "folders", before.folders, folders, 0);
        rows.forEach(
                (table, count) -> compare(leaks, "rows of " + table, before.rows.getOrDefault(table, 0L), count, 0));
        return leaks;
    }

    private static void compare(List<String> leaks, String what, long before, long now, long tolerated) {
        if (now > before + tolerated) {
            leaks.add(what + ": " + now + ", before " + before);
        }
    }

    private static long entries(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.count();
        }
    }

    private static long resident(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }

    /** In whichever hierarchies there are. */
    private static long groups(String name) throws IOException {
        long found = 0;
        try (DirectoryStream<Path> hierarchies = Files.newDirectoryStream(Path.of("/sys/fs/cgroup"))) {
            for (Path hierarchy : hierarchies) {
                found += subfolders(hierarchy.resolve(name));
            }
        }
        return found + subfolders(Path.of("/sys/fs/cgroup").resolve(name));
    }

    private static long subfolders(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isDirectory).count();
        }
    }

    private static long processes(String group) throws IOException {
        long found = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                try {
                    found += Files.readString(process.resolve("cgroup")).contains("/" + group + "/") ? 1 : 0;
                } catch (IOException e) {
                    // It has just ended.
                }
            }
        }
        return found;
    }

    private static long mounts(Home home) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
            return lines.filter(line -> line.contains(home.folder() + "/") || line.contains(home.runFolder() + "/"))
                    .count();
        }
    }
}
