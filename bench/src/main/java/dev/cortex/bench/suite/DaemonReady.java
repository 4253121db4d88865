package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.CortexDaemon;

/** From before the process of {@code ./cortex serve} is started to its first answer on its socket. */
final class DaemonReady implements Contender {
    private final String name;
    private final CortexDaemon daemon;

    DaemonReady(String name, CortexDaemon daemon) {
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
        return daemon.readyMillis();
    }

    @Override
    public void close() throws Exception {
        daemon.close();
    }
}
