package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A home of a test's own, and the real {@code ./cortex} to use it with. Closing it removes its sandboxes, ends its
 * daemon and asserts that neither left anything behind.
 */
final class CortexHome implements AutoCloseable {
    /** Ten times what the slowest single command here is expected to take. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();

    private CortexHome(Path folder, int port) {
        this.folder = folder;
        environment.put("CORTEX_HOME", folder.resolve("home").toString());
        // Hundreds of homes come and go; tests of the pool say otherwise.
        environment.put("CORTEX_DISK_POOL", "folder");
        // Suites run on spares too, those that ask for it.
        environment.put("CORTEX_POOL", System.getProperty("cortex.e2e.pool", "0"));
        environment.put("CORTEX_LAUNCHERS", System.getProperty("cortex.e2e.launchers", "0"));
        environment.put("CORTEX_PORT", Integer.toString(port));
        environment.put("CORTEX_DRIVER", System.getProperty("cortex.e2e.driver", "oci/crun"));
    }

    static CortexHome open() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new CortexHome(Files.createTempDirectory("cortex-e2e"), free.getLocalPort());
        } catch (IOException cannot) {
            throw new UncheckedIOException(cannot);
        }
    }

    /** What a command left behind; stdout byte for byte. */
    record Outcome(int status, byte[] bytes, String stderr) {
        String stdout() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        Outcome succeeded() {
            assertThat(status)
                    .as("status of the command, which said: %s%s", stdout(), stderr)
                    .isZero();
            return this;
        }
    }

    CortexHome with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** With the programs that the build has made, gVisor's above all, in the daemon's PATH. */
    CortexHome withTools() {
        return with(
                "PATH", Path.of(System.getProperty("cortex.install")).resolve("tools") + ":" + System.getenv("PATH"));
    }

    Path folder() {
        return folder;
    }

    Path home() {
        return Path.of(environment.getOrDefault("CORTEX_HOME", ""));
    }

    int port() {
        return Integer.parseInt(environment.getOrDefault("CORTEX_PORT", ""));
    }

    String token() throws IOException {
        return Files.readString(home().resolve("token")).strip();
    }

    static Path script() {
        return Path.of(System.getProperty("cortex.install")).resolveSibling("cortex");
    }

    /** The words of a whole command line: the script's path first. */
    List<String> command(String... words) {
        List<String> command = new ArrayList<>();
        command.add(script().toString());
        command.addAll(List.of(words));
        return command;
    }

    Outcome cortex(String... words) throws IOException, InterruptedException {
        return cortex(new byte[0], words);
    }

    Outcome cortex(byte[] stdin, String... words) throws IOException, InterruptedException {
        return run(stdin, command(words));
    }

    /** Runs words of a shell with {@code cortex} as its first function, for what needs pipes and background jobs. */
    Outcome shell(String words) throws IOException, InterruptedException {
        return run(new byte[0], List.of("bash", "-c", "cortex() { '" + script() + "' \"$@\"; }\n" + words));
    }

    /** Starts a command whose end the test does not wait for here. */
    Process start(ProcessBuilder.Redirect stdin, Path stdout, Path stderr, String... words) throws IOException {
        return builder(command(words))
                .redirectInput(stdin)
                .redirectOutput(stdout.toFile())
                .redirectError(stderr.toFile())
                .start();
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CORTEX_"));
        builder.environment().remove("CI");
        builder.environment().putAll(environment);
        return builder;
    }

    private Outcome run(byte[] stdin, List<String> command) throws IOException, InterruptedException {
        Path in = Files.write(Files.createTempFile(folder, "in", ""), stdin);
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        Process process = builder(command)
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(command + " did not end; it said: " + Files.readString(err));
            }
            return new Outcome(process.exitValue(), Files.readAllBytes(out), Files.readString(err));
        } finally {
            Files.delete(in);
            Files.delete(out);
            Files.delete(err);
        }
    }

    long daemonPid() throws IOException {
        String words = Files.readString(home().resolve("daemon.pid")).strip();
        return Long.parseLong(words.split("\\s", 2)[0]);
    }

    /** Kills the daemon as a crash would, and waits until it is gone. */
    void killDaemon() throws IOException, InterruptedException {
        long pid = daemonPid();
        new ProcessBuilder("kill", "-9", Long.toString(pid)).inheritIO().start().waitFor();
        await(
                () -> ProcessHandle.of(pid).isEmpty()
                        || !ProcessHandle.of(pid).get().isAlive(),
                "the daemon's end");
    }

    /** A condition that may take a moment. */
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    /** Waits for a condition, with a deadline far wider than what is expected. */
    static void await(Condition condition, String what) throws IOException, InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("waited in vain for " + what);
            }
            Thread.sleep(20);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        if (Files.exists(home().resolve("daemon.pid"))) {
            for (String line : cortex("ls", "--json").succeeded().stdout().split("\"name\":\"")) {
                String name = line.substring(0, Math.max(0, line.indexOf('"')));
                if (name.matches("[a-z0-9-]+")) {
                    Outcome removed = cortex("rm", "--force", "--wipe", name);
                    // What `run` made may have gone by itself since it was listed.
                    if (!removed.stderr().contains("there is no sandbox " + name)) {
                        removed.succeeded();
                    }
                }
            }
            cortex("serve", "--stop").succeeded();
        }
        List<String> left = leftovers();
        Path runFolder = Home.at(home()).runFolder();
        if (Files.exists(runFolder)) {
            left.add("the run folder " + runFolder);
        }
        new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
        assertThat(left).as("what the home left behind on the machine").isEmpty();
    }

    /** Mounts and processes of the machine that name this home. */
    List<String> leftovers() throws IOException {
        List<String> left = new ArrayList<>();
        Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .filter(line -> line.contains(folder.toString()))
                .forEach(left::add);
        ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(folder.toString()))
                .filter(process -> process.pid() != ProcessHandle.current().pid())
                .forEach(process -> left.add(process.info().commandLine().orElse("")));
        return left;
    }
}
