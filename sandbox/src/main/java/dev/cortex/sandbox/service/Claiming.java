package dev.cortex.sandbox.service;

import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Preparing;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.service.ReadySpares.Ready;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareKind;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/**
 * Makes a sandbox of a spare: one transaction turns the spare's row into the record with the intent of its creation, then
 * it gets name and token. From the transaction on it is a create like any other, for recovery and for undoing.
 */
final class Claiming {
    private static final Duration EXPECTED = Duration.ofMinutes(1);

    private final Ports ports;
    private final Drivers drivers;
    private final Exclusive exclusive;
    private final Disks disks;
    private final Guests guests;
    private final Booting booting;
    private final Spares spares;
    private final SecureRandom random;

    Claiming(
            Ports ports,
            Drivers drivers,
            Exclusive exclusive,
            Disks disks,
            Guests guests,
            Booting booting,
            Spares spares,
            SecureRandom random) {
        this.ports = ports;
        this.drivers = drivers;
        this.exclusive = exclusive;
        this.disks = disks;
        this.guests = guests;
        this.booting = booting;
        this.spares = spares;
        this.random = random;
    }

    /** A spare that is a sandbox's now. The lease of that sandbox is held. */
    record Claimed(SandboxRow row, Ready spare, Lease lease) {}

    /**
     * The kind that a plan can be carried out with: all else of it can be set when one is handed out. Not a folder as its
     * image, whose owner may change it until the create.
     */
    static Optional<SpareKind> kind(Plan plan) {
        boolean fits = plan.start()
                && plan.settings().terms().mounts().isEmpty()
                && plan.settings().terms().workspace().isEmpty()
                && !(plan.image().root() instanceof Image.Root.Folder)
                && plan.driver() instanceof Preparing preparing
                && preparing.prepares(plan.settings().runtime());
        return fits
                ? Optional.of(new SpareKind(
                        plan.driver().name(),
                        plan.settings().runtime(),
                        plan.image().reference(),
                        plan.image().digest().orElse(""),
                        root(plan.image()),
                        plan.settings().limits(),
                        plan.settings().terms().rights()))
                : Optional.empty();
    }

    /** The machine's own files, or the same image under a name that means another by now. */
    static String root(Image image) {
        return image.root().toString();
    }

    /** Empty when it is to be made from nothing: no spare fits, there is none, or the name has a disk already. */
    Optional<Claimed> claim(Plan plan) {
        if (!spares.on()) {
            return Optional.empty();
        }
        Optional<SpareKind> kind = kind(plan);
        if (kind.isEmpty() || disks.find(plan.name()).isPresent()) {
            return Optional.empty();
        }
        return spares.take(kind.get()).flatMap(spare -> claim(plan, spare));
    }

    private Optional<Claimed> claim(Plan plan, Ready spare) {
        boolean claimed = false;
        try {
            Lease lease = exclusive.take(spare.row().id(), plan.name(), "create", EXPECTED);
            try {
                Optional<SandboxRow> row = record(plan, spare);
                claimed = row.isPresent();
                return row.map(mine -> new Claimed(mine, spare, lease));
            } finally {
                if (!claimed) {
                    lease.close();
                }
            }
        } finally {
            if (!claimed) {
                spares.giveBack(spare);
            }
        }
    }

    /** A name's disk is decided about under the name's own lease. */
    private Optional<SandboxRow> record(Plan plan, Ready spare) {
        try (Lease name = exclusive.takeName(plan.name(), "create")) {
            if (disks.find(plan.name()).isPresent()) {
                return Optional.empty();
            }
            DiskRow disk = NewRecord.disk(plan, spare.row().id(), ports.clock().instant());
            SandboxRow row = NewRecord.sandbox(
                            plan,
                            spare.row().id(),
                            disk,
                            disks.folder(disk),
                            ports.clock().instant())
                    .held(handle(spare), GuestToken.random(random), spare.row().boot());
            SandboxRow claimed =
                    ports.store().spares().claim(row, disk, new Intent(row.id(), Intent.Kind.CREATE, row.created()));
            ports.boundaries().crossed(Boundary.CREATE_CLAIMED);
            return Optional.of(claimed);
        }
    }

    /** Gives it its name and its token: whatever runs in it from now on is what the caller set up. */
    void handOut(Claimed claimed) {
        SandboxRow row = claimed.row();
        Handle handle = handle(claimed.spare());
        guests.take(row, claimed.spare().guest());
        if (drivers.named(handle.driver()) instanceof Preparing preparing) {
            preparing.name(handle, ports.folders().sandbox(row.id()), row.name());
        }
        booting.crossed(Boundary.CREATE_NAMED);
        Path disk = ports.folders().disks().resolve(Erasing.diskFolder(row.id()));
        booting.initialize(row, claimed.spare().guest(), disk);
        booting.crossed(Boundary.GUEST_INITIALIZED);
    }

    private static Handle handle(Ready spare) {
        return spare.row().handle().orElseThrow(() -> new IllegalStateException("a spare that was never started"));
    }
}
