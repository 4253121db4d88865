package dev.cortex.sandbox.service;

import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;

/** Lets a paused sandbox go on where it was. One that cannot go on stays paused. */
final class Resuming {
    private final Ports ports;
    private final Drivers drivers;
    private final Guests guests;
    private final Waking waking;
    private final Announcing announcing;

    Resuming(Ports ports, Drivers drivers, Guests guests, Waking waking, Announcing announcing) {
        this.ports = ports;
        this.drivers = drivers;
        this.guests = guests;
        this.waking = waking;
        this.announcing = announcing;
    }

    /** The lease is held. Once begun it goes on although the caller is interrupted. */
    SandboxRow resume(SandboxRow row) {
        Records.require(row, Trigger.RESUME);
        ports.store()
                .begin(new Intent(row.id(), Intent.Kind.RESUME, ports.clock().instant()));
        ports.boundaries().crossed(Boundary.RESUME_BEGUN);
        SandboxRow[] resumed = {row};
        Calmly.run(() -> resumed[0] = finish(row));
        return resumed[0];
    }

    /** Does what is left of a resume, from wherever it was cut off. */
    SandboxRow finish(SandboxRow row) {
        try {
            Pausing.power(drivers, row).resume(Pausing.handle(row));
        } catch (RuntimeException e) {
            ports.store().complete(row);
            throw e;
        }
        ports.boundaries().crossed(Boundary.RESUME_THAWED);
        guests.of(row).goesOn();
        SandboxRow resumed = row.resumed(ports.clock().instant());
        ports.store().complete(resumed);
        ports.boundaries().crossed(Boundary.RESUME_COMPLETED);
        waking.over(row.id());
        announcing.resumed(resumed);
        return resumed;
    }
}
