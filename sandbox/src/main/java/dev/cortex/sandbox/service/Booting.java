package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.terms.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/** From folders and a record to a neuron that answers, for create and for start. */
final class Booting {
    /** Services and their probes (DESIGN section 9). */
    private static final Duration READY = Duration.ofSeconds(30);

    private static final Duration CALL = Duration.ofSeconds(10);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(2);

    private final Ports ports;
    private final Drivers drivers;
    private final Guests guests;
    private final SecureRandom random;

    Booting(Ports ports, Drivers drivers, Guests guests, SecureRandom random) {
        this.ports = ports;
        this.drivers = drivers;
        this.guests = guests;
        this.random = random;
    }

    /**
     * Starts the first process and initialises its neuron. The handle is stored before the token is sent, so that
     * whoever recovers can tell both. On failure the caller undoes it with {@link #release}.
     */
    SandboxRow start(SandboxRow row, Image image) {
        SandboxStore store = ports.store();
        DiskRow disk = store.disk(row.settings().disk())
                .orElseThrow(() -> new IllegalStateException("no disk's record for " + row.name()));
        Path diskFolder = ports.folders().disk(disk);
        ports.pool().require();
        Folders.make(ports.folders().sandbox(row.id()));
        Folders.make(ports.folders().run(row.id()));
        SandboxDriver driver = drivers.named(row.settings().driver());
        Optional<Workspace> workspace =
                row.generation() == 0 ? row.settings().terms().workspace() : Optional.empty();
        if (!driver.makesDisks() || workspace.isPresent()) {
            ports.pool().make(diskFolder, row.settings().limits().diskBytes());
        }
        if (workspace.isPresent()) {
            Workspaces.of(driver)
                    .takeWorkspace(diskFolder, row.id(), workspace.get().folder());
        }
        crossed(Boundary.FOLDERS_MADE);
        Handle handle = driver.start(new StartRequest(
                row.id(),
                Optional.of(row.name()),
                store.homeId(),
                row.slot(),
                text(row.settings().runtime()),
                image,
                row.settings().limits(),
                row.settings().terms(),
                diskFolder,
                ports.folders().run(row.id()),
                ports.folders().sandbox(row.id())));
        crossed(Boundary.DRIVER_STARTED);
        SandboxRow held =
                row.held(handle, GuestToken.random(random), ports.boot().id());
        store.update(held);
        crossed(Boundary.HANDLE_STORED);
        Guest guest = guests.uninitialized(held);
        Answering.until(driver, handle, () -> initialize(held, guest, diskFolder));
        crossed(Boundary.GUEST_INITIALIZED);
        return held;
    }

    /** Waits until every service's probe has passed. */
    void awaitReady(SandboxRow row) {
        Guest guest = guests.of(row);
        long deadline = System.nanoTime() + READY.toNanos();
        Duration pause = FIRST_PAUSE;
        while (!guest.info(CALL).ready()) {
            if (System.nanoTime() > deadline) {
                throw CortexException.of(
                        ErrorCode.NOT_READY,
                        row.name() + " was not ready within " + READY.toSeconds() + " s",
                        "its console: " + ports.folders().sandbox(row.id()).resolve("console.log"));
            }
            pause = Answering.rest(pause);
        }
    }

    /** Takes back what {@link #start} did, the disk and the sandbox's own folder excepted. Idempotent. */
    void release(SandboxRow row) {
        guests.forget(row.id());
        drivers.named(row.settings().driver()).stop(stopRequest(row));
        ports.boundaries().crossed(Boundary.RELEASED_PROCESSES);
        Path run = ports.folders().run(row.id());
        try {
            Folders.delete(run);
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED, "the run folder " + run + " is left", "cortex rm removes it")
                    .because(e);
        }
    }

    StopRequest stopRequest(SandboxRow row) {
        return new StopRequest(
                row.id(),
                ports.store().homeId(),
                row.handle(),
                ports.folders().run(row.id()),
                ports.folders().sandbox(row.id()));
    }

    /** Gives the neuron of a sandbox its token, which it takes again as long as it is the same. */
    void initialize(SandboxRow row, Guest guest, Path diskFolder) {
        SandboxDriver driver = drivers.named(row.settings().driver());
        guest.initialize(
                Identities.of(
                        row, driver.placement(diskFolder), driver.capabilities().has(Capability.EGRESS)),
                CALL);
    }

    /** A step is done; who was cancelled meanwhile goes no further. */
    void crossed(Boundary step) {
        ports.boundaries().crossed(step);
        if (Thread.currentThread().isInterrupted()) {
            throw cancelled();
        }
    }

    static CortexException cancelled() {
        return CortexException.of(ErrorCode.CANCELLED, "cancelled; nothing was left behind", "");
    }

    private static Optional<String> text(String value) {
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }
}
