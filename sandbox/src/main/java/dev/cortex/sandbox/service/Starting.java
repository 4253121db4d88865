package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import java.util.Optional;

/** Starts a sandbox that is created or stopped. One that cannot be started is afterwards what it was before. */
final class Starting {
    private final Ports ports;
    private final Drivers drivers;
    private final Disks disks;
    private final Booting booting;
    private final Announcing announcing;

    Starting(Ports ports, Drivers drivers, Disks disks, Booting booting, Announcing announcing) {
        this.ports = ports;
        this.drivers = drivers;
        this.disks = disks;
        this.booting = booting;
        this.announcing = announcing;
    }

    /** The lease is held. */
    SandboxRow start(SandboxRow row) {
        Records.require(row, Trigger.START);
        Image image = startable(row);
        ports.store()
                .begin(new Intent(row.id(), Intent.Kind.START, ports.clock().instant()));
        ports.boundaries().crossed(Boundary.START_BEGUN);
        return start(row, image);
    }

    /** Under an intent that there is. What cannot be started is afterwards what it was, and says why. */
    SandboxRow boot(SandboxRow row) {
        Image image;
        try {
            image = startable(row);
        } catch (RuntimeException e) {
            release(row, e);
            throw e;
        }
        return start(row, image);
    }

    private Image startable(SandboxRow row) {
        Drivers.requireReady(
                drivers.named(row.settings().driver()),
                Optional.of(row.settings().runtime()).filter(name -> !name.isEmpty()));
        Image image =
                ports.images().again(row.settings().image(), row.settings().digest());
        disks.find(row.settings().disk())
                .ifPresent(disk ->
                        Disks.requireMatch(disk, drivers.named(row.settings().driver()), image));
        return image;
    }

    private SandboxRow start(SandboxRow row, Image image) {
        SandboxRow held;
        try {
            held = booting.start(row, image);
        } catch (RuntimeException e) {
            throw undone(row, e);
        }
        try {
            booting.awaitReady(held);
            booting.crossed(Boundary.START_READY);
        } catch (RuntimeException e) {
            throw Thread.currentThread().isInterrupted() ? undone(held, e) : unready(held, e);
        }
        SandboxRow running = held.running(ports.clock().instant());
        ports.store().complete(running);
        ports.boundaries().crossed(Boundary.START_COMPLETED);
        announcing.running(running);
        return running;
    }

    private CortexException undone(SandboxRow row, RuntimeException cause) {
        boolean interrupted = Thread.interrupted();
        Calmly.run(() -> release(ports.store().find(row.id()).orElse(row), cause));
        if (interrupted) {
            Thread.currentThread().interrupt();
            return Booting.cancelled().because(cause);
        }
        return known(cause);
    }

    /** Ends an unfinished start: the sandbox is what it was. */
    void release(SandboxRow row, RuntimeException cause) {
        String why = "start failed: " + cause.getMessage();
        try {
            booting.release(row);
            ports.store().complete(row.released(why));
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
            SandboxRow failed = row.failed(
                    why + ", and it could not be undone: " + e.getMessage(),
                    ports.clock().instant());
            ports.store().complete(failed);
            announcing.failed(failed);
        }
    }

    private CortexException unready(SandboxRow held, RuntimeException cause) {
        SandboxRow failed =
                held.failed(String.valueOf(cause.getMessage()), ports.clock().instant());
        try {
            booting.release(held);
            failed = held.released("")
                    .failed(String.valueOf(cause.getMessage()), ports.clock().instant());
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
        ports.store().complete(failed);
        announcing.failed(failed);
        return known(cause);
    }

    private static CortexException known(RuntimeException cause) {
        return cause instanceof CortexException known
                ? known
                : CortexException.of(ErrorCode.INTERNAL, "start failed", "see daemon.log")
                        .because(cause);
    }
}
