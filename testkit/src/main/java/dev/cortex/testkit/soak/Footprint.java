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
 * What a daemon without sandboxes holds of the machine. Sandboxes that wait in the warm pool are meant to be there: what
 * belongs to one that has a row is not counted, and what is left of one that has none is.
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

    /** The warm pool grows with use, with the settings that users get to no more than this. */
    private static final int SPARES = 16;

    /** What a heap may keep of a burst, beside a quarter of what there was. */
    private static final long HEAP_BYTES = 48L << 20;

    /** Looks at the daemon of that pid. */
    public static Footprint of(Home home, long pid) throws IOException {
        HomeDatabase database = HomeDatabase.of(home);
        String groups = "cortex-" + database.id().substring(0, 8);
        List<String> spares = database.spares();
        return new Footprint(
                entries(Path.of("/proc/" + pid + "/fd"), List.of()),
                entries(Path.of("/proc/" + pid + "/task"), List.of()),
                resident(pid),
                groups(groups, spares),
                processes(groups, spares),
                mounts(home, spares),
                entries(home.folder().resolve("sandboxes"), spares)
                        + entries(home.folder().resolve("disks"), spares)
                        + entries(home.runFolder(), spares),
                database.rows());
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
        rows.forEach((table, count) -> compare(
                leaks,
                "rows of " + table,
                before.rows.getOrDefault(table, 0L),
                count,
                table.equals("spare") ? SPARES : 0));
        return leaks;
    }

    private static void compare(List<String> leaks, String what, long before, long now, long tolerated) {
        if (now > before + tolerated) {
            leaks.add(what + ": " + now + ", before " + before);
        }
    }

    private static boolean isOf(List<String> spares, String words) {
        return spares.stream().anyMatch(words::contains);
    }

    private static long entries(Path folder, List<String> spares) throws IOException {
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(entry -> !isOf(spares, entry.toString())).count();
        }
    }

    private static long resident(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }

    /** In whichever hierarchies there are. */
    private static long groups(String name, List<String> spares) throws IOException {
        long found = 0;
        try (DirectoryStream<Path> hierarchies = Files.newDirectoryStream(Path.of("/sys/fs/cgroup"))) {
            for (Path hierarchy : hierarchies) {
                found += subfolders(hierarchy.resolve(name), spares);
            }
        }
        return found + subfolders(Path.of("/sys/fs/cgroup").resolve(name), spares);
    }

    private static long subfolders(Path folder, List<String> spares) throws IOException {
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isDirectory)
                    .filter(entry -> !isOf(spares, entry.toString()))
                    .count();
        }
    }

    private static long processes(String group, List<String> spares) throws IOException {
        long found = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                try {
                    String in = Files.readString(process.resolve("cgroup"));
                    found += in.contains("/" + group + "/") && !isOf(spares, in) ? 1 : 0;
                } catch (IOException e) {
                    // It has just ended.
                }
            }
        }
        return found;
    }

    private static long mounts(Home home, List<String> spares) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
            return lines.filter(line -> line.contains(home.folder() + "/") || line.contains(home.runFolder() + "/"))
                    .filter(line -> !isOf(spares, line))
                    .count();
        }
    }
}
