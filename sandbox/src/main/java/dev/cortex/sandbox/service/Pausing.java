package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;

/**
 * Makes a sandbox stand still: first what its sessions have said comes to the host, from where it is read for as long as
 * the pause lasts, then nothing of it runs any more. Clients that are attached wait.
 */
final class Pausing {
    private final Ports ports;
    private final Drivers drivers;
    private final Draining draining;
    private final Guests guests;
    private final Waking waking;
    private final Announcing announcing;

    Pausing(Ports ports, Drivers drivers, Draining draining, Guests guests, Waking waking, Announcing announcing) {
        this.ports = ports;
        this.drivers = drivers;
        this.draining = draining;
        this.guests = guests;
        this.waking = waking;
        this.announcing = announcing;
    }

    /** The lease is held. Once begun it goes on although the caller is interrupted. One that fails leaves it running. */
    SandboxRow pause(SandboxRow row, String why) {
        Records.require(row, Trigger.PAUSE);
        dev.cortex.sandbox.driver.Pausing driver = power(row);
        Handle handle = handle(row);
        ports.store()
                .begin(new Intent(row.id(), Intent.Kind.PAUSE, ports.clock().instant()));
        ports.boundaries().crossed(Boundary.PAUSE_BEGUN);
        SandboxRow[] paused = {row};
        Calmly.run(() -> paused[0] = pause(row, driver, handle, why));
        return paused[0];
    }

    private SandboxRow pause(SandboxRow row, dev.cortex.sandbox.driver.Pausing driver, Handle handle, String why) {
        try {
            draining.keep(row);
            ports.boundaries().crossed(Boundary.PAUSE_DRAINED);
            waking.standsStill(row.id());
            guests.of(row).standsStill();
            driver.pause(handle);
            ports.boundaries().crossed(Boundary.PAUSE_FROZEN);
        } catch (RuntimeException e) {
            undo(row, driver, handle, e);
            throw e instanceof CortexException known
                    ? known
                    : CortexException.of(ErrorCode.INTERNAL, "pause failed", "see daemon.log")
                            .because(e);
        }
        return finish(row, why);
    }

    /** The record of one that stands still. */
    SandboxRow finish(SandboxRow row, String why) {
        waking.standsStill(row.id());
        SandboxRow paused = row.paused(why);
        ports.store().complete(paused);
        ports.boundaries().crossed(Boundary.PAUSE_COMPLETED);
        announcing.paused(paused);
        return paused;
    }

    private void undo(SandboxRow row, dev.cortex.sandbox.driver.Pausing driver, Handle handle, RuntimeException cause) {
        try {
            driver.resume(handle);
            goesOn(row);
            ports.store().complete(row);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
            SandboxRow failed = row.failed(
                    "pause failed: " + cause.getMessage() + ", and it does not go on: " + e.getMessage(),
                    ports.clock().instant());
            ports.store().complete(failed);
            announcing.failed(failed);
        }
        waking.over(row.id());
    }

    /** Lets a sandbox go on whose pause was cut off: it is running again. */
    SandboxRow takeBack(SandboxRow row) {
        power(row).resume(handle(row));
        goesOn(row);
        ports.store().complete(row);
        waking.over(row.id());
        return row;
    }

    private void goesOn(SandboxRow row) {
        guests.of(row).goesOn();
    }

    private dev.cortex.sandbox.driver.Pausing power(SandboxRow row) {
        return power(drivers, row);
    }

    /** @throws CortexException UNSUPPORTED where the driver, or this machine, cannot */
    static dev.cortex.sandbox.driver.Pausing power(Drivers drivers, SandboxRow row) {
        SandboxDriver driver = drivers.named(row.settings().driver());
        if (driver instanceof dev.cortex.sandbox.driver.Pausing pausing
                && driver.capabilities().has(Capability.PAUSE)) {
            return pausing;
        }
        throw drivers.unsupported(driver, Capability.PAUSE, "pause");
    }

    static Handle handle(SandboxRow row) {
        return row.handle()
                .orElseThrow(() -> new IllegalStateException(
                        row.name() + " has no handle while it is " + row.state().word()));
    }
}
