package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Memory;

/** A figure of a daemon that has just been started, on a home that it was started on before. */
final class DaemonStart implements Contender {
    private static final long SETTLING_MILLIS = 3_000;

    private final String name;
    private final CortexDaemon daemon;
    private final Figure figure;

    private interface Figure {
        double of(CortexDaemon started) throws Exception;
    }

    private DaemonStart(String name, CortexDaemon daemon, Figure figure) {
        this.name = name;
        this.daemon = daemon;
        this.figure = figure;
    }

    /** From before the process of {@code ./cortex serve} is started to its first answer on its socket. */
    static DaemonStart ready(String name, CortexDaemon daemon) {
        return new DaemonStart(name, daemon, CortexDaemon::readyMillis);
    }

    /** What it holds once it has made its spares. */
    static DaemonStart memory(String name, CortexDaemon daemon) {
        return new DaemonStart(name, daemon, started -> {
            Thread.sleep(SETTLING_MILLIS);
            return Memory.resident(started.pid()) / 1e6;
        });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double once() throws Exception {
        daemon.end();
        daemon.restart();
        return figure.of(daemon);
    }

    @Override
    public void close() throws Exception {
        daemon.close();
    }
}
