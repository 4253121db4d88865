package dev.cortex.drivers.oci;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A tar archive of a small root file system: this machine's shell and a few programs, with the libraries they need. */
final class RootArchive {
    private static final List<String> PROGRAMS =
            List.of("/bin/sh", "/bin/cat", "/bin/id", "/bin/ls", "/bin/stat", "/bin/touch", "/bin/sleep");

    private RootArchive() {}

    /** @param compress with gzip */
    static Path make(Path folder, boolean compress) throws IOException, InterruptedException {
        Path root = Files.createDirectories(folder.resolve("root"));
        for (String name : List.of("usr/bin", "etc", "tmp", "var/lib/app", "proc", "sys", "dev", "run")) {
            Files.createDirectories(root.resolve(name));
        }
        Files.createSymbolicLink(root.resolve("bin"), Path.of("usr/bin"));
        for (String program : PROGRAMS) {
            Path real = Path.of(program).toRealPath();
            copy(real, root.resolve("usr/bin").resolve(Path.of(program).getFileName()));
            for (String library : libraries(real)) {
                copy(Path.of(library).toRealPath(), root.resolve(library.substring(1)));
            }
        }
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\napp:x:77:78::/:/bin/sh\n");
        Files.writeString(root.resolve("etc/group"), "root:x:0:\napp:x:78:\n");
        Files.writeString(root.resolve("var/lib/app/data"), "of the image\n");
        run("chown", "-R", "77:78", root.resolve("var/lib/app").toString());
        Path archive = folder.resolve(compress ? "root.tar.gz" : "root.tar");
        run("tar", "-C", root.toString(), compress ? "-czf" : "-cf", archive.toString(), ".");
        return archive;
    }

    private static void copy(Path from, Path to) throws IOException {
        if (!Files.exists(to)) {
            Files.createDirectories(to.getParent());
            Files.copy(from, to);
        }
    }

    private static List<String> libraries(Path program) throws IOException, InterruptedException {
        List<String> paths = new ArrayList<>();
        for (String word : run("ldd", program.toString()).split("\\s+")) {
            if (word.startsWith("/")) {
                paths.add(word);
            }
        }
        return paths;
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(Stream.of(command).toList() + ": " + output);
        }
        return output;
    }
}
