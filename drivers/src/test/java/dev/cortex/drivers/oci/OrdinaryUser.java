package dev.cortex.drivers.oci;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A user with subordinate ids who exists for one program alone: its passwd, subuid and subgid are mounted in a mount
 * namespace of that program, so that nothing of this machine is changed. Needs root. Closing deletes its files.
 */
final class OrdinaryUser implements AutoCloseable {
    private static final int UID = 61_234;
    private static final String NAME = "cortextrial";

    private final Path folder;

    OrdinaryUser() throws IOException {
        folder = Files.createTempDirectory("cxu");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        write("passwd", Files.readString(Path.of("/etc/passwd")) + NAME + ":x:" + UID + ":" + UID + "::/tmp:/bin/sh\n");
        write("subuid", NAME + ":1700000000:65536\n");
        write("subgid", NAME + ":1700000000:65536\n");
    }

    private void write(String name, String content) throws IOException {
        Path path = folder.resolve(name);
        Files.writeString(path, content);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** What a program ended with. */
    record Ended(int status, String output) {}

    /**
     * Runs a main class of this test's own class path, which is copied to where the user can read it.
     *
     * @param install the folder with {@code bin/launcher} and {@code bin/neuron}
     * @param file copied as well; its place is the program's argument
     */
    Ended java(Class<?> main, Path install, Path file) throws IOException, InterruptedException {
        Path programs = copy(install.resolve("bin"), folder.resolve("install/bin"));
        List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c"));
        command.add("for f in passwd subuid subgid; do mount --bind " + folder + "/$f /etc/$f || exit 99; done; "
                + "exec setpriv --reuid " + UID + " --regid " + UID + " --clear-groups \"$@\"");
        command.addAll(List.of(
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Dcortex.install=" + programs.getParent(),
                "-cp",
                classPath(),
                main.getName(),
                copy(file, folder.resolve(file.getFileName())).toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .directory(Path.of("/").toFile())
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private String classPath() throws IOException {
        List<String> copied = new ArrayList<>();
        // Surefire hands a long class path over in a jar's manifest and keeps the real one here.
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        int number = 0;
        for (String entry : path.split(":")) {
            Path from = Path.of(entry);
            if (Files.exists(from)) {
                copied.add(copy(from, folder.resolve("classes/" + number++ + "-" + from.getFileName()))
                        .toString());
            }
        }
        return String.join(":", copied);
    }

    private static Path copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            all.forEach(path -> copyOne(path, to.resolve(from.relativize(path).toString())));
        }
        return to;
    }

    private static void copyOne(Path from, Path to) {
        try {
            Files.createDirectories(to.getParent());
            Files.copy(from, to);
            Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
