package dev.cortex.bench.place;

import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Docker Engine of the bench's own, with its own data and socket, that changes nothing of the host's network. It has
 * one image: a static busybox.
 */
public final class DockerEngine implements AutoCloseable {
    /** The image's name. */
    public static final String IMAGE = "cortex-bench";

    /** What the engine makes above its containers' control groups; where another engine uses it, it is not empty. */
    private static final String GROUP = "docker";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What Cortex's sandboxes have by default, in Docker's words. */
    private static final List<String> HARDENED = List.of(
            "--network=none",
            "--memory=2g",
            "--pids-limit=1024",
            "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            "--user=1000:1000");

    private final Path folder;
    private final Path socket;
    private final Process process;
    private boolean closed;

    private DockerEngine(Path folder) throws IOException, InterruptedException {
        this.folder = Files.createDirectories(folder);
        this.socket = folder.resolve("docker.sock");
        if (!Files.isExecutable(Path.of("/usr/sbin/dockerd"))) {
            throw new IOException("the package docker.io is not installed");
        }
        Path log = folder.resolve("dockerd.log");
        process = new ProcessBuilder(
                        "setsid",
                        "/usr/sbin/dockerd",
                        "--iptables=false",
                        "--ip6tables=false",
                        "--bridge=none",
                        "--data-root=" + folder.resolve("data"),
                        "--exec-root=" + folder.resolve("exec"),
                        "--pidfile=" + folder.resolve("docker.pid"),
                        "--host=unix://" + socket)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            await(log);
            importImage();
        } catch (IOException | InterruptedException e) {
            close();
            throw e;
        }
    }

    static DockerEngine start(Path folder) throws IOException, InterruptedException {
        return new DockerEngine(folder);
    }

    private void await(Path log) throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                List<String> said = Files.readAllLines(log);
                throw new IOException("dockerd did not get ready: " + (said.isEmpty() ? "" : said.getLast()));
            }
            Thread.sleep(20);
        }
    }

    private boolean answers() {
        try (UnixHttp http = connect()) {
            return http.get("/_ping").isSuccess();
        } catch (IOException e) {
            return false;
        }
    }

    private void importImage() throws IOException, InterruptedException {
        Path root = Files.createDirectories(folder.resolve("root/bin"));
        Command.run("cp", "/bin/busybox", root.resolve("busybox").toString());
        for (String name : List.of("echo", "true", "sleep", "sh")) {
            Files.createSymbolicLink(root.resolve(name), Path.of("busybox"));
        }
        Path tar = folder.resolve("root.tar");
        Command.run("tar", "-C", folder.resolve("root").toString(), "-cf", tar.toString(), ".");
        run("import", tar.toString(), IMAGE);
    }

    public UnixHttp connect() throws IOException {
        return UnixHttp.to(socket);
    }

    /** The words of a command line of its client. */
    public List<String> command(String... words) {
        List<String> all = new ArrayList<>(List.of("docker", "--host", "unix://" + socket));
        all.addAll(List.of(words));
        return all;
    }

    /** The words of a {@code docker run} of a container as closed as a sandbox is. */
    public List<String> hardened(List<String> options, String... program) {
        List<String> all = command("run");
        all.addAll(HARDENED);
        all.addAll(options);
        all.add(IMAGE);
        all.addAll(List.of(program));
        return all;
    }

    public String run(String... words) throws IOException, InterruptedException {
        return Command.run(PATIENCE, Map.of(), command(words));
    }

    /** Starts a container that sleeps. */
    public void sleeping(String name) throws IOException, InterruptedException {
        Command.run(
                PATIENCE,
                Map.of(),
                hardened(List.of("--detach", "--init=false", "--name=" + name), "/bin/sleep", "100000"));
    }

    @Override
    public synchronized void close() throws IOException, InterruptedException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (answers()) {
                String left = run("ps", "--all", "--quiet").strip();
                if (!left.isEmpty()) {
                    List<String> words = new ArrayList<>(List.of("rm", "--force"));
                    words.addAll(List.of(left.split("\\s+")));
                    run(words.toArray(String[]::new));
                }
            }
        } finally {
            process.destroy();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            ControlGroups.remove(GROUP);
        }
    }
}
