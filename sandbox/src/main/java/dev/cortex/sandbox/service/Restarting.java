package dev.cortex.sandbox.service;

import dev.cortex.sandbox.State;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.terms.Lifetime.Restart;
import java.util.concurrent.Semaphore;

/** Starts again what ran when the machine went down, where that was asked for. Its sessions are not started again. */
final class Restarting {
    /** A machine that has just booted has other things to do as well. */
    private static final int AT_ONCE = 4;

    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    private final Ports ports;
    private final Draining draining;
    private final Booting booting;
    private final Starting starting;
    private final Semaphore turns = new Semaphore(AT_ONCE);

    Restarting(Ports ports, Draining draining, Booting booting, Starting starting) {
        this.ports = ports;
        this.draining = draining;
        this.booting = booting;
        this.starting = starting;
    }

    /** Of one whose processes are gone. */
    boolean wanted(SandboxRow row) {
        return row.state() == State.RUNNING
                && row.settings().terms().lifetime().restart() == Restart.ON_BOOT
                && !row.life().boot().equals(ports.boot().id());
    }

    /** The lease is held. */
    void restart(SandboxRow row) {
        ports.store()
                .begin(new Intent(row.id(), Intent.Kind.RESTART, ports.clock().instant()));
        ports.boundaries().crossed(Boundary.RESTART_BEGUN);
        finish(row);
    }

    /** Does what is left of a restart, from wherever it was cut off. One that cannot be started is stopped. */
    void finish(SandboxRow row) {
        turns.acquireUninterruptibly();
        try {
            draining.settle(row);
            booting.release(row);
            SandboxRow down =
                    row.stopped("the machine was started anew", ports.clock().instant());
            ports.store().update(down);
            ports.boundaries().crossed(Boundary.RESTART_RELEASED);
            starting.boot(down);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, row.name() + " was not started again: " + e.getMessage(), e);
        } finally {
            turns.release();
        }
    }
}
