package dev.cortex.drivers.oci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Counts what the kernel killed in a control group because of its memory limit (cgroup v1 and v2). */
final class OomKills {
    private static final Path MOUNTED = Path.of("/sys/fs/cgroup");
    private static final String COUNTER = "oom_kill ";

    private final Path root;

    OomKills() {
        this(MOUNTED);
    }

    OomKills(Path root) {
        this.root = root;
    }

    /** In words; empty where nothing was killed or no counter can be read. */
    Optional<String> in(String group) {
        long killed = List.of(
                        root.resolve("memory").resolve(group).resolve("memory.oom_control"),
                        root.resolve(group).resolve("memory.events"))
                .stream()
                .mapToLong(OomKills::read)
                .max()
                .orElse(0);
        return killed == 0
                ? Optional.empty()
                : Optional.of("the kernel killed " + killed + " of its processes at the memory limit");
    }

    private static long read(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith(COUNTER))
                    .mapToLong(line ->
                            Long.parseLong(line.substring(COUNTER.length()).strip()))
                    .findFirst()
                    .orElse(0);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
