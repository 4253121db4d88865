package dev.cortex.bench.place;

import dev.cortex.protocol.home.Home;
import dev.cortex.testkit.http.HttpAnswer;
import dev.cortex.testkit.http.UnixHttp;
import dev.cortex.testkit.soak.HomeDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real {@code ./cortex serve} with a home of its own. Closing it removes its sandboxes, its disks and its home. */
public final class CortexDaemon implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Checkout checkout;
    private final Path folder;
    private final Home home;
    private final Map<String, String> environment = new HashMap<>();
    private Process process;
    private double readyMillis;
    private boolean closed;

    private CortexDaemon(Checkout checkout, Map<String, String> settings) throws IOException, InterruptedException {
        this.checkout = checkout;
        this.folder = Files.createTempDirectory("cortex-bench");
        this.home = Home.at(folder.resolve("home"));
        environment.put("CORTEX_HOME", home.folder().toString());
        // gVisor as it was built for tests and bench.
        environment.put("PATH", checkout.out().resolve("tools") + ":" + System.getenv("PATH"));
        environment.putAll(settings);
        boolean serves = false;
        try {
            this.process = serve();
            serves = true;
        } finally {
            if (!serves) {
                removeFolders();
            }
        }
    }

    /** @param settings of the environment; without a word of a pool it has none, and no launcher waits */
    public static CortexDaemon start(Checkout checkout, Map<String, String> settings)
            throws IOException, InterruptedException {
        Map<String, String> all = new HashMap<>(Map.of("CORTEX_POOL", "0", "CORTEX_LAUNCHERS", "0"));
        all.putAll(settings);
        return new CortexDaemon(checkout, all);
    }

    /** With the settings that users get: spares are started, and a launcher waits. */
    public static CortexDaemon asDelivered(Checkout checkout) throws IOException, InterruptedException {
        return new CortexDaemon(checkout, Map.of());
    }

    public static CortexDaemon start(Checkout checkout) throws IOException, InterruptedException {
        return start(checkout, Map.of());
    }

    /** In a session of its own: Ctrl-C is for the bench, which removes the sandboxes before it ends the daemon. */
    private Process serve() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("setsid", checkout.script().toString(), "serve", "--port", "0")
                .directory(folder.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CORTEX_"));
        builder.environment().putAll(environment);
        Path log = folder.resolve("serve.log");
        long begin = System.nanoTime();
        Process started = builder.redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        boolean serves = false;
        try {
            while (!answers()) {
                if (!started.isAlive() || System.nanoTime() - begin > PATIENCE.toNanos()) {
                    throw new IOException("the daemon did not get ready: "
                            + Files.readString(log).strip());
                }
                Thread.sleep(1);
            }
            readyMillis = (System.nanoTime() - begin) / 1e6;
            serves = true;
            return started;
        } finally {
            if (!serves) {
                started.destroyForcibly();
            }
        }
    }

    private boolean answers() {
        try (UnixHttp http = UnixHttp.to(home.socket())) {
            return http.get("/api/v1/health").isSuccess();
        } catch (IOException e) {
            return false;
        }
    }

    /** From before its process was started to its first answer; of its last start. */
    public double readyMillis() {
        return readyMillis;
    }

    public long pid() {
        return process.pid();
    }

    public Home home() {
        return home;
    }

    public Checkout checkout() {
        return checkout;
    }

    /** What commands of this home need in their environment. */
    public Map<String, String> environment() {
        return Map.copyOf(environment);
    }

    public UnixHttp connect() throws IOException {
        return UnixHttp.to(home.socket());
    }

    /** As a crash would end it. */
    public synchronized void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Starts it again. */
    public synchronized void restart() throws IOException, InterruptedException {
        if (closed) {
            throw new IOException("the daemon's home is being removed");
        }
        process = serve();
    }

    /** Ends it as an operator would; its sandboxes run on. */
    public synchronized void end() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            kill();
        }
    }

    /** Makes a sandbox of the driver oci. */
    public static void create(UnixHttp http, String name, String runtime) throws IOException {
        succeeded(http.post(
                "/api/v1/sandboxes", "{\"name\":\"" + name + "\",\"driver\":\"oci\",\"runtime\":\"" + runtime + "\"}"));
    }

    public static void remove(UnixHttp http, String name) throws IOException {
        succeeded(http.delete("/api/v1/sandboxes/" + name + "?force=true&wipe=true"));
    }

    /** Runs a command to its end; answers what it printed. */
    public static String exec(UnixHttp http, String sandbox, String... argv) throws IOException {
        JsonNode result = JSON.readTree(post(http, sandbox, body(argv)).body());
        if (result.path("status").asInt(-1) != 0) {
            throw new IOException("the command failed: " + result);
        }
        return result.path("stdout").asString("");
    }

    /** The body of a call of exec, made once for many. */
    public static String body(String... argv) {
        return "{\"session\":{\"argv\":" + JSON.writeValueAsString(argv) + "}}";
    }

    /** The body of a session that is started and upgraded to in one step. */
    public static String stream(String... argv) {
        return "{\"argv\":" + JSON.writeValueAsString(argv) + "}";
    }

    /** The same with a body that was made before; answers the answer unread. */
    public static HttpAnswer post(UnixHttp http, String sandbox, String body) throws IOException {
        return succeeded(http.post("/api/v1/sandboxes/" + sandbox + "/exec", body));
    }

    public static HttpAnswer succeeded(HttpAnswer answer) throws IOException {
        if (!answer.isSuccess()) {
            throw new IOException("status " + answer.status() + ": " + answer.text());
        }
        return answer;
    }

    /** Whoever comes second waits until everything is gone. */
    @Override
    public synchronized void close() throws IOException, InterruptedException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!process.isAlive()) {
                process = serve();
            }
            removeAll();
        } finally {
            end();
            // A daemon leaves it for the next.
            ControlGroups.remove("cortex-" + HomeDatabase.of(home).id().substring(0, 8));
            Path disks = home.folder().resolve("disks");
            if (Files.readString(Path.of("/proc/self/mountinfo")).contains(" " + disks + " ")) {
                Command.run("umount", disks.toString());
            }
            removeFolders();
        }
    }

    private void removeFolders() throws IOException, InterruptedException {
        Command.run(
                "rm",
                "-rf",
                "--one-file-system",
                folder.toString(),
                home.runFolder().toString());
    }

    /** Until none is left: what was under way when this began may have made another. */
    private void removeAll() throws IOException, InterruptedException {
        try (UnixHttp http = connect()) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            for (int empty = 0; empty < 2 && System.nanoTime() < end; ) {
                JsonNode all = JSON.readTree(
                        succeeded(http.get("/api/v1/sandboxes?all=true")).body());
                for (JsonNode sandbox : all.path("sandboxes")) {
                    // Whoever made it may be faster; the next look tells.
                    http.delete("/api/v1/sandboxes/" + sandbox.path("id").asString("") + "?force=true&wipe=true");
                }
                empty = all.path("sandboxes").isEmpty() ? empty + 1 : 0;
                Thread.sleep(20);
            }
            succeeded(http.post("/api/v1/prune", "{\"apply\":true}"));
        }
    }
}
