package dev.cortex.testkit.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks for what a sandbox left on the host, by other means than the drivers' own. */
public final class Leftovers {
    private static final int SESSION_BITS = 22;
    private static final Path CONTROL_GROUPS = Path.of("/sys/fs/cgroup");
    private static final int CONTROL_GROUP_DEPTH = 4;

    private Leftovers() {}

    /** Living processes whose soft limit of file locks has the mark's sandbox part. */
    public static List<String> processes(long mark) {
        List<String> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : all) {
                if (lockLimit(process) >>> SESSION_BITS == mark >>> SESSION_BITS && alive(process)) {
                    found.add("process " + process.getFileName() + " " + name(process));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** Control groups of that name in any hierarchy. Groups of others come and go while the tree is walked. */
    public static List<String> controlGroups(String name) {
        List<String> found = new ArrayList<>();
        try {
            Files.walkFileTree(CONTROL_GROUPS, Set.of(), CONTROL_GROUP_DEPTH, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
                    // A folder at the greatest depth is visited as a file.
                    return look(path, attributes);
                }

                @Override
                public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
                    return look(path, attributes);
                }

                private FileVisitResult look(Path path, BasicFileAttributes attributes) {
                    if (attributes.isDirectory() && path.endsWith(name)) {
                        found.add("control group " + path);
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path path, IOException gone) {
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path path, @Nullable IOException gone) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** Mounts of this process's namespace, the host's, that name a folder. */
    public static List<String> mounts(Path folder) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
            return lines.filter(line -> line.contains(folder.toString()))
                    .map(line -> "mount " + line)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Everything in a folder. */
    public static List<String> files(Path folder) {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> !path.equals(folder))
                    .map(path -> "file " + path)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long lockLimit(Path process) {
        try (Stream<String> lines = Files.lines(process.resolve("limits"))) {
            return lines.filter(line -> line.startsWith("Max file locks"))
                    .map(line ->
                            line.substring("Max file locks".length()).strip().split("\\s+")[0])
                    .filter(soft -> !soft.equals("unlimited"))
                    .mapToLong(Long::parseUnsignedLong)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            // It ended while it was looked at.
            return 0;
        }
    }

    private static boolean alive(Path process) {
        try {
            String stat = Files.readString(process.resolve("stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state != 'Z' && state != 'X';
        } catch (IOException e) {
            return false;
        }
    }

    private static String name(Path process) {
        try {
            return Files.readString(process.resolve("comm")).strip();
        } catch (IOException e) {
            return "?";
        }
    }
}
