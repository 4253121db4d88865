package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.SandboxIds;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.service.ReadySpares.Ready;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.sandbox.terms.Terms;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Starts a sandbox ahead: everything of a create that needs neither its name nor its user. */
final class Filling {
    private static final Duration CALL = Duration.ofSeconds(10);

    private final Ports ports;
    private final Drivers drivers;
    private final Guests guests;
    private final SandboxIds ids;
    private final UnremovedSpares unremoved;

    Filling(Ports ports, Drivers drivers, Guests guests, SandboxIds ids, UnremovedSpares unremoved) {
        this.ports = ports;
        this.drivers = drivers;
        this.guests = guests;
        this.ids = ids;
        this.unremoved = unremoved;
    }

    /** Whatever is made has its row before it. What fails leaves nothing, or its row, and is tried again. */
    Ready fill(SpareKind kind) {
        SandboxDriver driver = drivers.named(kind.driver());
        Drivers.requireReady(driver, runtime(kind));
        ports.pool().require();
        SpareRow row = ports.store()
                .spares()
                .insert(SpareRow.begun(
                        ids.next(),
                        kind,
                        ports.spares().build(),
                        ports.boot().id(),
                        ports.clock().instant()));
        ports.boundaries().crossed(Boundary.FILL_RECORDED);
        try {
            // Since the row is there the image cannot be removed.
            return start(row, driver, image(kind));
        } catch (RuntimeException e) {
            Calmly.run(() -> unremoved.remove(row));
            throw e;
        }
    }

    private Image image(SpareKind kind) {
        Image image = ports.images().again(kind.image(), kind.digest());
        if (!Claiming.root(image).equals(kind.root())) {
            throw CortexException.of(ErrorCode.NOT_FOUND, "the image " + kind.image() + " is another by now", "");
        }
        return image;
    }

    private Ready start(SpareRow row, SandboxDriver driver, Image image) {
        SandboxId id = row.id();
        Path disk = ports.folders().disks().resolve(Erasing.diskFolder(id));
        Folders.make(ports.folders().sandbox(id));
        Folders.make(ports.folders().run(id));
        if (!driver.makesDisks()) {
            ports.pool().make(disk, row.kind().limits().diskBytes());
        }
        ports.boundaries().crossed(Boundary.FILL_FOLDERS);
        Handle handle = driver.start(new StartRequest(
                id,
                Optional.empty(),
                ports.store().homeId(),
                row.slot(),
                runtime(row.kind()),
                image,
                row.kind().limits(),
                Terms.DEFAULT.with(row.kind().rights()),
                disk,
                ports.folders().run(id),
                ports.folders().sandbox(id)));
        ports.boundaries().crossed(Boundary.FILL_STARTED);
        SpareRow held = row.held(handle);
        ports.store().spares().update(held);
        ports.boundaries().crossed(Boundary.FILL_HELD);
        return greet(held, driver, handle);
    }

    private Ready greet(SpareRow row, SandboxDriver driver, Handle handle) {
        Guest guest = guests.ahead(handle);
        try {
            Answering.until(driver, handle, () -> guest.info(CALL));
            return new Ready(row, guest);
        } catch (RuntimeException e) {
            guest.close();
            throw e;
        }
    }

    private static Optional<String> runtime(SpareKind kind) {
        return kind.runtime().isEmpty() ? Optional.empty() : Optional.of(kind.runtime());
    }
}
