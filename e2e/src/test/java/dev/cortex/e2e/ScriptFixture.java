package dev.cortex.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A tree that looks built, around the real {@code cortex} script: its JVM, {@code dev} and package manager are small
 * scripts that record how they were called, so that a test of the script needs no build, no network and no root.
 */
final class ScriptFixture {
    private static final String RECORD = "for word; do printf '%s\\n' \"[$word]\"; done";

    private final Path root;
    private final Path programs;
    private final Map<String, String> environment = new HashMap<>();

    private ScriptFixture(Path root, Path programs) {
        this.root = root;
        this.programs = programs;
    }

    /** What a run of the script left behind. */
    record Outcome(int status, String stdout, String stderr) {
        List<String> words() {
            return stdout.lines().toList();
        }
    }

    static ScriptFixture in(Path folder) throws IOException {
        Path root = Files.createDirectories(folder.resolve("a clone"));
        Path programs = Files.createDirectories(folder.resolve("programs"));
        ScriptFixture fixture = new ScriptFixture(root.toRealPath(), programs);
        fixture.layOut();
        return fixture;
    }

    private void layOut() throws IOException {
        Path repository = repository();
        Files.copy(repository.resolve("cortex"), root.resolve("cortex"));
        Files.createDirectory(root.resolve("scripts"));
        for (String name : List.of("machine.sh", "jvm.sh", "clone.sh")) {
            Files.copy(
                    repository.resolve("scripts").resolve(name),
                    root.resolve("scripts").resolve(name));
        }
        Files.createDirectories(root.resolve("cli/src/main/java"));
        Files.createDirectories(root.resolve("native"));
        Files.writeString(root.resolve("pom.xml"), "");
        Files.writeString(root.resolve("cli/pom.xml"), "");
        script(root.resolve("dev"), "printf '%s\\n' \"$*\" >>\"${0%/*}/dev.log\"; exit ${DEV_STATUS:-0}");
        Files.createDirectories(root.resolve("jdk/bin"));
        script(root.resolve("jdk/bin/java"), RECORD);
        Files.createDirectories(root.resolve("out/lib"));
        Files.writeString(root.resolve("out/java-home"), root.resolve("jdk") + "\n");
        Files.writeString(root.resolve("out/lib/cli.classpath"), "cli.jar\n");
        Files.writeString(root.resolve("out/lib/daemon.classpath"), "daemon.jar\n");
        stamp();
        for (String name : List.of("find", "readlink", "id", "mktemp", "rm", "tail", "env", "cat")) {
            script(programs.resolve(name), "exec " + which(name) + " \"$@\"");
        }
        script(programs.resolve("apt-get"), "printf '%s\\n' \"$*\" >>\"" + root + "/apt.log\"");
        script(programs.resolve("sudo"), "[ \"$1\" != -n ] || shift; exec \"$@\"");
    }

    static Path repository() {
        return Path.of(System.getProperty("cortex.install")).getParent();
    }

    private static Path which(String program) throws IOException {
        for (String folder : List.of("/usr/bin", "/bin")) {
            Path candidate = Path.of(folder, program);
            if (Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        throw new IOException(program + " is neither in /usr/bin nor in /bin");
    }

    private static void script(Path path, String body) throws IOException {
        Files.writeString(path, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    Path root() {
        return root;
    }

    /** Marks the tree as built now. */
    void stamp() throws IOException {
        Files.writeString(root.resolve("out/stamp"), root + "\n");
    }

    ScriptFixture with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    void installed(String program) throws IOException {
        script(programs.resolve(program), ":");
    }

    Outcome run(String... words) throws IOException, InterruptedException {
        return runAs(root.resolve("cortex"), words);
    }

    /** Runs the script by another path to it, from a folder that is not the tree. */
    Outcome runAs(Path script, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(script.toString());
        command.addAll(List.of(words));
        Path out = Files.createTempFile(programs, "out", "");
        Path err = Files.createTempFile(programs, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(programs.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", programs.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("the script did not end: " + command);
        }
        return new Outcome(
                process.exitValue(),
                Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8));
    }

    /** How {@code dev} was called, one line a call. */
    List<String> builds() throws IOException {
        return log("dev.log");
    }

    /** How the package manager was called, one line a call. */
    List<String> packageCalls() throws IOException {
        return log("apt.log");
    }

    private List<String> log(String name) throws IOException {
        Path log = root.resolve(name);
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }
}
