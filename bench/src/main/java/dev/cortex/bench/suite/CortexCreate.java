package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.Checkout;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.util.Map;

/** Two calls on one kept connection: create, and exec to its end, whose answer carries the output. */
final class CortexCreate implements Contender {
    private final String name;
    private final String runtime;
    private final CortexDaemon daemon;
    private final UnixHttp http;
    private final long pauseMillis;
    private int count;

    private CortexCreate(String name, String runtime, CortexDaemon daemon, long pauseMillis) throws IOException {
        this.name = name;
        this.runtime = runtime;
        this.daemon = daemon;
        this.http = daemon.connect();
        this.pauseMillis = pauseMillis;
    }

    /** With nothing made ahead. */
    static CortexCreate cold(String name, Grounds grounds, Checkout checkout, String runtime) throws Exception {
        return new CortexCreate(name, runtime, grounds.daemon(checkout, Map.of()), 0);
    }

    /**
     * With something made ahead.
     *
     * @param pauseMillis what is waited behind each, untimed, until it is made again: it would burden the others' turns
     */
    static CortexCreate ahead(
            String name, Grounds grounds, String runtime, Map<String, String> settings, long pauseMillis)
            throws Exception {
        return new CortexCreate(name, runtime, grounds.daemon(grounds.checkout(), settings), pauseMillis);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double once() throws Exception {
        String sandbox = "n" + ++count;
        long begin = System.nanoTime();
        CortexDaemon.create(http, sandbox, runtime);
        String said = CortexDaemon.exec(http, sandbox, Echo.PROGRAM, Echo.WORD);
        double millis = (System.nanoTime() - begin) / 1e6;
        if (!said.equals(Echo.WORD + "\n")) {
            throw new IOException("the output was " + said);
        }
        return millis;
    }

    @Override
    public void after() throws Exception {
        CortexDaemon.remove(http, "n" + count);
        Thread.sleep(pauseMillis);
    }

    @Override
    public void close() throws Exception {
        http.close();
        daemon.close();
    }
}
