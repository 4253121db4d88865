package dev.cortex.bench.place;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the figures were measured on.
 *
 * @param facts in the order in which they are shown
 */
public record Machine(Map<String, String> facts) {
    /** Looks at it now. */
    public static Machine look(Checkout checkout) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("revision", revision(checkout.root()));
        facts.put("kernel", System.getProperty("os.version", "") + " " + System.getProperty("os.arch", ""));
        facts.put(
                "processors",
                Runtime.getRuntime().availableProcessors() + " × " + field("/proc/cpuinfo", "model name"));
        facts.put("memory", field("/proc/meminfo", "MemTotal"));
        facts.put("cgroup", layout());
        facts.put("disk", disk());
        facts.put("java", Runtime.version().toString());
        facts.put("crun", version("crun", "--version"));
        facts.put("runc", version("runc", "--version"));
        facts.put("runsc", version(checkout.out().resolve("tools/runsc").toString(), "--version"));
        facts.put("bubblewrap", version("bwrap", "--version"));
        facts.put("docker", version("/usr/sbin/dockerd", "--version"));
        facts.put("tinyproxy", version("tinyproxy", "-v"));
        return new Machine(facts);
    }

    /** The averages of 1, 5 and 15 minutes. */
    public static String load() {
        String[] words = text("/proc/loadavg").split(" ");
        return words.length < 3 ? "" : words[0] + " " + words[1] + " " + words[2];
    }

    /** The commit, and whether something differs from it. */
    public static String revision(Path root) {
        String commit = version("git", "-C", root.toString(), "describe", "--always", "--dirty", "--exclude=*");
        return commit.isEmpty() ? "unknown" : commit;
    }

    private static String layout() {
        String mounts = text("/proc/self/mounts");
        boolean v1 = mounts.contains(" cgroup ");
        boolean v2 = mounts.contains(" cgroup2 ");
        return v1 && v2 ? "hybrid" : v1 ? "v1" : v2 ? "v2" : "none";
    }

    private static String disk() {
        try {
            FileStore store = Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
            return store.type() + ", " + (store.getUsableSpace() >> 30) + " GiB free in the temporary folder";
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String field(String file, String name) {
        return text(file)
                .lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
    }

    private static String text(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            return "";
        }
    }

    /** The first line of what a program says, or that it is not there. */
    private static String version(String... words) {
        try {
            return Command.run(words).lines().findFirst().orElse("");
        } catch (IOException e) {
            return "not installed";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /** The facts as pairs. */
    public List<Map.Entry<String, String>> entries() {
        return List.copyOf(facts.entrySet());
    }
}
