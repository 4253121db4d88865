package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Memory;

/** What a daemon holds that has just been started and has made its spares. */
final class DaemonMemory implements Contender {
    private static final long SETTLING_MILLIS = 3_000;

    private final String name;
    private final CortexDaemon daemon;

    DaemonMemory(String name, CortexDaemon daemon) {
        this.name = name;
        this.daemon = daemon;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double once() throws Exception {
        daemon.end();
        daemon.restart();
        Thread.sleep(SETTLING_MILLIS);
        return Memory.resident(daemon.pid()) / 1e6;
    }

    @Override
    public void close() throws Exception {
        daemon.close();
    }
}
