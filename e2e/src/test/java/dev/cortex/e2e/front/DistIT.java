package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The archive of {@code ./dev dist}, unpacked where neither Go nor Maven nor git is in reach. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DistIT {
    private static final int ORDINARY = 61_236;

    /** What builds, and what the archive must find by itself. */
    private static final Set<String> OUT_OF_REACH =
            Set.of("go", "gofmt", "mvn", "git", "java", "javac", "jar", "make", "gcc", "protoc");

    private Path folder;
    private Path programs;
    private Path archive;

    private record Ended(int status, String stdout, String stderr) {
        Ended well() {
            assertThat(status).as(toString()).isZero();
            return this;
        }
    }

    @BeforeAll
    void build() throws Exception {
        folder = Files.createTempDirectory("cortex-dist");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        programs = Files.createDirectory(folder.resolve("programs"));
        for (String from : List.of("/usr/local/sbin", "/usr/sbin", "/usr/bin")) {
            try (Stream<Path> all = Files.list(Path.of(from))) {
                for (Path program : all.toList()) {
                    String name = program.getFileName().toString();
                    if (!OUT_OF_REACH.contains(name) && !Files.exists(programs.resolve(name))) {
                        Files.createSymbolicLink(programs.resolve(name), program);
                    }
                }
            }
        }
        archive = dist("first");
    }

    @AfterAll
    void clear() throws Exception {
        Process removal =
                new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start();
        assertThat(removal.waitFor(60, TimeUnit.SECONDS))
                .as("the folder's removal")
                .isTrue();
        assertThat(removal.exitValue()).isZero();
    }

    private Path dist(String to) throws Exception {
        Path there = folder.resolve(to);
        Path dev = CortexHome.script().resolveSibling("dev");
        Map<String, String> environment =
                Map.of("PATH", System.getenv("PATH"), "HOME", System.getProperty("user.home"));
        run(environment, dev.toString(), "dist", "--to", there.toString()).well();
        try (Stream<Path> made = Files.list(there)) {
            return made.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Ended run(Map<String, String> environment, String... words) throws Exception {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/sbin:/usr/bin");
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(300, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(List.of(words) + " did not end; it said: " + Files.readString(err));
        }
        return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Unpacks it there and gives its one folder. */
    private Path unpacked(String where) throws Exception {
        Path there = Files.createDirectories(folder.resolve(where));
        run(Map.of(), "tar", "-xzf", archive.toString(), "-C", there.toString()).well();
        try (Stream<Path> inside = Files.list(there)) {
            return inside.findFirst().orElseThrow();
        }
    }

    /** A user's surroundings: a home folder, and of programs what is left. */
    private Map<String, String> surroundings(Path home) throws IOException {
        Files.createDirectories(home.resolve("run"));
        return Map.of(
                "PATH", programs.toString(),
                "HOME", home.toString(),
                "XDG_RUNTIME_DIR", home.resolve("run").toString(),
                "CORTEX_HOME", home.resolve("cortex").toString(),
                "CORTEX_DISK_POOL", "folder",
                "CORTEX_POOL", "0",
                "CORTEX_PORT", "0");
    }

    private Ended cortex(Path script, Map<String, String> environment, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(words));
        return run(environment, command.toArray(String[]::new));
    }

    @Test
    void twiceBuiltItHasTheSameBytesAndItsSumIsTold() throws Exception {
        Path second = dist("second");
        assertThat(second.getFileName()).isEqualTo(archive.getFileName());
        assertThat(Files.mismatch(archive, second)).isEqualTo(-1);
        run(Map.of(), "sh", "-c", "cd '" + second.getParent() + "' && sha256sum -c --quiet *.sha256")
                .well();
    }

    @Test
    void everyFileIsSummedAndEveryLibraryAndModuleHasItsNotice() throws Exception {
        Path root = unpacked("looked at");
        run(Map.of(), "sh", "-c", "cd '" + root + "' && sha256sum -c --quiet SHA256SUMS")
                .well();
        try (Stream<Path> files = Files.walk(root)) {
            List<String> summed = Files.readAllLines(root.resolve("SHA256SUMS"));
            assertThat(files.filter(Files::isRegularFile).count()).isEqualTo(summed.size() + 1L);
        }
        String notices = Files.readString(root.resolve("NOTICES"));
        try (Stream<Path> jars = Files.list(root.resolve("lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString())
                            .filter(name -> name.endsWith(".jar") && !name.startsWith("cortex-"))
                            .map(name -> name.replaceFirst("\\.jar$", "")))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(notices).contains("  " + name));
        }
        assertThat(notices).contains("  go\n", "github.com/containerd/ttrpc v", "Apache License", "BSD");
        assertThat(root.resolve("LICENSE")).exists();
        assertThat(root.resolve("docs/operations.md")).exists();
    }

    @Test
    void itRunsFromAReadOnlyFolderWithASpaceInItsPathAndMakesItsCachesOnceInTheUsersOwnFolder() throws Exception {
        Path root = unpacked("a folder of ours ü");
        Map<String, String> environment = new java.util.HashMap<>(surroundings(folder.resolve("user")));
        // Wishes for sandboxes are none for the training, which asks for drivers that could not fulfil this one.
        environment.put("CORTEX_RUNTIME", "crun");
        // Root writes into any folder: a read-only mount is what root is held to.
        String readOnly =
                "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && ! touch \"$0/x\" 2>/dev/null && "
                        + "cd / && \"$0/cortex\" \"$@\"; status=$?; \"$0/cortex\" serve --stop 2>/dev/null; exit $status";
        String[] words = {
            "unshare", "-m", "sh", "-c", readOnly, root.toString(), "run", "--", "python3", "-c", "print(6*7)"
        };
        Ended first = run(environment, words).well();
        assertThat(first.stdout()).isEqualTo("42\n");
        assertThat(first.stderr()).contains("first start of", "start-up caches", "✓");
        Ended second = run(environment, words).well();
        assertThat(second.stdout()).isEqualTo("42\n");
        assertThat(second.stderr()).doesNotContain("first start", "start-up caches");
    }

    @Test
    void anOrdinaryUserRunsWhatRootUnpackedAlsoWithoutAPlaceForCaches() throws Exception {
        Path root = unpacked("for all");
        Path home = folder.resolve("ordinary");
        Map<String, String> environment = new java.util.HashMap<>(surroundings(home));
        environment.put("HOME", "/nonexistent");
        environment.put("CORTEX_ALLOW_INSECURE_PROCESS", "1");
        run(Map.of(), "chown", "-R", ORDINARY + ":" + ORDINARY, home.toString()).well();
        String[] user = {
            "setpriv", "--reuid", "" + ORDINARY, "--regid", "" + ORDINARY, "--clear-groups", root.resolve("cortex") + ""
        };
        Ended answer = run(
                        environment,
                        Stream.concat(
                                        Stream.of(user),
                                        Stream.of(
                                                "run", "--driver", "process", "--", "sh", "-c", "echo $((6*7)); id -u"))
                                .toArray(String[]::new))
                .well();
        assertThat(answer.stdout()).isEqualTo("42\n" + ORDINARY + "\n");
        assertThat(answer.stderr()).doesNotContain("start-up caches");
        Ended usage = run(
                        environment,
                        Stream.concat(Stream.of(user), Stream.of("usage")).toArray(String[]::new))
                .well();
        assertThat(usage.stdout()).contains("images");
        run(
                        environment,
                        Stream.concat(Stream.of(user), Stream.of("serve", "--stop"))
                                .toArray(String[]::new))
                .well();
    }

    @Test
    void anotherVersionTakesOverFromARunningDaemonAndItsSandboxesGoOn() throws Exception {
        Path old = unpacked("old");
        Path next = unpacked("next");
        Files.writeString(next.resolve("version"), "20991231-0123456789ab\n");
        Map<String, String> environment = surroundings(folder.resolve("upgraded"));
        Ended created = cortex(old.resolve("cortex"), environment, "create", "kept", "--driver", "oci/crun")
                .well();
        assertThat(created.stdout()).contains("kept", "running");
        String session = cortex(
                        old.resolve("cortex"),
                        environment,
                        "exec",
                        "kept",
                        "--detach",
                        "--",
                        "sh",
                        "-c",
                        "echo begun; while [ ! -e end ]; do sleep 0.1; done; echo ended")
                .well()
                .stdout()
                .strip();
        Ended seen = cortex(next.resolve("cortex"), environment, "ls").well();
        assertThat(seen.stdout()).contains("kept", "running");
        assertThat(seen.stderr()).contains("serve --stop");
        cortex(next.resolve("cortex"), environment, "serve", "--stop").well();
        // The old one goes while its neuron runs.
        run(Map.of(), "rm", "-rf", old.toString()).well();
        cortex(next.resolve("cortex"), environment, "exec", "kept", "--", "touch", "end")
                .well();
        assertThat(cortex(next.resolve("cortex"), environment, "attach", "kept", session)
                        .well()
                        .stdout())
                .isEqualTo("begun\nended\n");
        assertThat(cortex(next.resolve("cortex"), environment, "version").well().stdout())
                .contains("20991231-0123456789ab");
        cortex(next.resolve("cortex"), environment, "rm", "--force", "--wipe", "kept")
                .well();
        cortex(next.resolve("cortex"), environment, "serve", "--stop").well();
    }

    @Test
    void itsInstallerPutsTheCommandAndItsCompletionsWhereShellsLook() throws Exception {
        Path root = unpacked("to install");
        Path home = folder.resolve("installing");
        Path prefix = folder.resolve("pre fix");
        Map<String, String> environment = surroundings(home);
        run(environment, root.resolve("install.sh").toString(), "--prefix", prefix.toString())
                .well();
        assertThat(cortex(prefix.resolve("bin/cortex"), environment, "completion", "words", "--", "insp")
                        .well()
                        .stdout())
                .startsWith(":words\ninspect\t");
        assertThat(prefix.resolve("share/bash-completion/completions/cortex"))
                .content(StandardCharsets.UTF_8)
                .contains("complete -F _cortex cortex");
        assertThat(prefix.resolve("share/zsh/site-functions/_cortex"))
                .content(StandardCharsets.UTF_8)
                .startsWith("#compdef cortex");
        assertThat(prefix.resolve("share/fish/vendor_completions.d/cortex.fish"))
                .exists();
        Files.delete(prefix.resolve("bin/cortex"));
        Files.writeString(prefix.resolve("bin/cortex"), "somebody's own");
        Ended refused = run(environment, root.resolve("install.sh").toString(), "--prefix", prefix.toString());
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stderr()).contains("not a link of ours");
    }
}
