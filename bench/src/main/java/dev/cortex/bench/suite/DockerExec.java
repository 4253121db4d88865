package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.DockerEngine;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import tools.jackson.databind.json.JsonMapper;

/** The same by Docker's API: create an exec, start it, read to its end, ask for its status. */
final class DockerExec implements Contender {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String TRUE = "{\"AttachStdout\":true,\"AttachStderr\":true,\"Cmd\":[\"/bin/true\"]}";
    private static final String ATTACHED = "{\"Detach\":false,\"Tty\":false}";

    private final DockerEngine engine;
    private final String container;
    private final UnixHttp http;

    private DockerExec(DockerEngine engine, String container) throws IOException {
        this.engine = engine;
        this.container = container;
        this.http = engine.connect();
    }

    static DockerExec open(DockerEngine engine) throws IOException, InterruptedException {
        engine.sleeping("bench-exec-api");
        return new DockerExec(engine, "bench-exec-api");
    }

    @Override
    public String name() {
        return "docker exec API";
    }

    @Override
    public double once() throws Exception {
        long begin = System.nanoTime();
        String created = CortexDaemon.succeeded(http.post("/v1.41/containers/" + container + "/exec", TRUE))
                .text();
        String id = JSON.readTree(created).path("Id").asString("");
        CortexDaemon.succeeded(http.post("/v1.41/exec/" + id + "/start", ATTACHED));
        String ended =
                CortexDaemon.succeeded(http.get("/v1.41/exec/" + id + "/json")).text();
        double millis = (System.nanoTime() - begin) / 1e6;
        if (JSON.readTree(ended).path("ExitCode").asInt(-1) != 0) {
            throw new IOException(ended);
        }
        return millis;
    }

    @Override
    public void close() throws Exception {
        http.close();
        engine.run("rm", "--force", container);
    }
}
