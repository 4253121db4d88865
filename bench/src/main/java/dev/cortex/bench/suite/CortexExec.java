package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;

/** {@code true} to its end in a running sandbox: one call on a kept connection. */
final class CortexExec implements Contender {
    private static final String TRUE = CortexDaemon.body("true");

    private final String name;
    private final CortexDaemon daemon;
    private final UnixHttp http;

    private CortexExec(String name, CortexDaemon daemon) throws IOException {
        this.name = name;
        this.daemon = daemon;
        this.http = daemon.connect();
    }

    static CortexExec open(String name, CortexDaemon daemon, String runtime) throws IOException {
        CortexExec exec = new CortexExec(name, daemon);
        CortexDaemon.create(exec.http, "box", runtime);
        CortexDaemon.exec(exec.http, "box", "true");
        return exec;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double once() throws Exception {
        long begin = System.nanoTime();
        String answer = CortexDaemon.post(http, "box", TRUE).text();
        double millis = (System.nanoTime() - begin) / 1e6;
        if (!answer.contains("\"status\":0")) {
            throw new IOException(answer);
        }
        return millis;
    }

    @Override
    public void close() throws Exception {
        http.close();
        daemon.close();
    }
}
