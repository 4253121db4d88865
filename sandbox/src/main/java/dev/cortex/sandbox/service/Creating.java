package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.SandboxIds;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes a sandbox, of a spare where one fits, else from nothing: record and intent, disk, first process, neuron, primary
 * session. What fails before it is ready is
 * undone whole, and so is a create whose thread is interrupted. Readiness alone leaves the sandbox behind, as
 * {@code error}, since its console says why; a sandbox that goes with its command is undone then too.
 */
final class Creating {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");
    private static final Duration EXPECTED = Duration.ofMinutes(1);

    private final Ports ports;
    private final Admission admission;
    private final SandboxIds ids;
    private final Exclusive exclusive;
    private final Disks disks;
    private final Booting booting;
    private final Erasing erasing;
    private final Primaries primaries;
    private final Spares spares;
    private final Claiming claiming;
    private final Announcing announcing;

    Creating(
            Ports ports,
            Admission admission,
            SandboxIds ids,
            Exclusive exclusive,
            Disks disks,
            Booting booting,
            Erasing erasing,
            Primaries primaries,
            Spares spares,
            Claiming claiming,
            Announcing announcing) {
        this.ports = ports;
        this.admission = admission;
        this.ids = ids;
        this.exclusive = exclusive;
        this.disks = disks;
        this.booting = booting;
        this.erasing = erasing;
        this.primaries = primaries;
        this.spares = spares;
        this.claiming = claiming;
        this.announcing = announcing;
    }

    /** @param createKey empty without one */
    SandboxRow create(CreateSandbox request, String createKey) {
        try (Creates.Turn turn = spares.turn()) {
            Plan plan = admission.plan(request, createKey);
            return spares.orMakeRoom(
                    () -> create(plan),
                    () -> ports.store().findByName(plan.name()).isEmpty());
        }
    }

    private SandboxRow create(Plan plan) {
        if (plan.start()) {
            // Before anything is recorded: on a full disk even taking it back would need space.
            ports.pool().require();
        }
        return claiming.claim(plan).flatMap(claimed -> handOut(plan, claimed)).orElseGet(() -> fromNothing(plan));
    }

    private SandboxRow fromNothing(Plan plan) {
        SandboxId id = ids.next();
        try (Lease lease = exclusive.take(id, plan.name(), "create", EXPECTED)) {
            SandboxRow recorded = record(plan, id);
            return ready(recorded, () -> make(recorded, plan));
        }
    }

    /** Empty when the spare was of no use, and is gone. */
    private Optional<SandboxRow> handOut(Plan plan, Claiming.Claimed claimed) {
        try (Lease lease = claimed.lease()) {
            SandboxRow row = claimed.row();
            try {
                requireImage(row);
                claiming.handOut(claimed);
                spares.handedOut();
            } catch (RuntimeException e) {
                CortexException undone = undone(row, e);
                if (undone.code() == ErrorCode.CANCELLED
                        || ports.store().find(row.id()).isPresent()) {
                    throw undone;
                }
                LOG.log(
                        System.Logger.Level.INFO,
                        "a spare could not be handed out, another is made: " + e.getMessage());
                return Optional.empty();
            }
            return Optional.of(ready(row, () -> finish(row, plan)));
        }
    }

    private SandboxRow ready(SandboxRow recorded, Supplier<Made> making) {
        Made made;
        try {
            made = making.get();
        } catch (RuntimeException e) {
            throw undone(recorded, e);
        }
        made.unready().ifPresent(error -> {
            throw error;
        });
        if (Thread.currentThread().isInterrupted()) {
            throw undone(made.row(), Booting.cancelled());
        }
        return made.row();
    }

    /** Record, intent and the disk's row. A name's disk is decided about under the name's own lease. */
    private SandboxRow record(Plan plan, SandboxId id) {
        SandboxStore store = ports.store();
        try (Lease name = exclusive.takeName(plan.name(), "create")) {
            store.findByName(plan.name()).ifPresent(row -> {
                throw Admission.nameTaken(row.name(), row.state().word());
            });
            Optional<DiskRow> kept = disks.find(plan.name());
            if (plan.wipe()) {
                kept.ifPresent(disks::wipe);
                kept = Optional.empty();
            }
            kept.ifPresent(disk -> Disks.requireMatch(disk, plan.driver(), plan.image()));
            DiskRow disk = kept.map(known -> known.limited(limit(plan, known)))
                    .orElseGet(() -> NewRecord.disk(plan, id, ports.clock().instant()));
            SandboxRow row = NewRecord.sandbox(
                    plan, id, disk, disks.folder(disk), ports.clock().instant());
            SandboxRow placed = store.insert(row, new Intent(id, Intent.Kind.CREATE, row.created()));
            ports.boundaries().crossed(Boundary.CREATE_RECORDED);
            try {
                if (!kept.equals(Optional.of(disk))) {
                    store.saveDisk(disk);
                    ports.boundaries().crossed(Boundary.CREATE_DISK);
                }
            } catch (RuntimeException e) {
                throw undone(placed, e);
            }
            return placed;
        }
    }

    private Made make(SandboxRow row, Plan plan) {
        requireImage(row);
        if (!plan.start()) {
            ports.store().complete(row);
            announcing.created(row);
            return new Made(row, Optional.empty());
        }
        return finish(booting.start(row, plan.image()), plan);
    }

    /** From a neuron that has its token to a sandbox that is running. */
    private Made finish(SandboxRow held, Plan plan) {
        try {
            booting.awaitReady(held);
        } catch (CortexException e) {
            if (held.settings().removeOnExit() || Thread.currentThread().isInterrupted()) {
                throw e;
            }
            return new Made(unready(held, e), Optional.of(e));
        }
        booting.crossed(Boundary.CREATE_READY);
        plan.primary().ifPresent(spec -> primaries.start(held, spec));
        booting.crossed(Boundary.CREATE_PRIMARY);
        SandboxRow running = held.running(ports.clock().instant());
        ports.store().complete(running);
        ports.boundaries().crossed(Boundary.CREATE_COMPLETED);
        announcing.created(running);
        announcing.running(running);
        return new Made(running, Optional.empty());
    }

    /** Since the record is there the image cannot be removed; it may have been between its being found and that. */
    private void requireImage(SandboxRow row) {
        if (!row.settings().digest().isEmpty()) {
            ports.images().again(row.settings().image(), row.settings().digest());
        }
    }

    private SandboxRow unready(SandboxRow held, CortexException cause) {
        booting.release(held);
        SandboxRow failed =
                held.released("").failed(cause.getMessage(), ports.clock().instant());
        ports.store().complete(failed);
        announcing.failed(failed);
        return failed;
    }

    private CortexException undone(SandboxRow row, RuntimeException cause) {
        boolean interrupted = Thread.interrupted();
        Calmly.run(() -> undo(row, cause));
        if (interrupted) {
            Thread.currentThread().interrupt();
            return Booting.cancelled().because(cause);
        }
        return cause instanceof CortexException known
                ? known
                : CortexException.of(ErrorCode.INTERNAL, "create failed", "see daemon.log")
                        .because(cause);
    }

    private void undo(SandboxRow recorded, RuntimeException cause) {
        SandboxStore store = ports.store();
        SandboxRow row = store.find(recorded.id()).orElse(recorded);
        store.begin(new Intent(row.id(), Intent.Kind.CREATE, ports.clock().instant()));
        boolean newDisk = isNewDisk(row);
        List<String> left = new ArrayList<>(erasing.erase(row, newDisk));
        if (!newDisk && row.settings().terms().workspace().isPresent()) {
            dropWorkspace(row, left);
        }
        if (left.isEmpty()) {
            announcing.undone(row);
            return;
        }
        SandboxRow failed = row.failed(
                "create failed (" + cause.getMessage() + "), and this is left: " + String.join("; ", left),
                ports.clock().instant());
        store.complete(failed);
        announcing.failed(failed);
    }

    /** The disk was there before, and stays as it was. */
    private void dropWorkspace(SandboxRow row, List<String> left) {
        disks.find(row.settings().disk()).ifPresent(disk -> {
            try {
                disks.dropWorkspace(disk, row.id());
            } catch (CortexException e) {
                left.add("the copy of " + row.settings().terms().workspace() + ": " + e.getMessage());
            }
        });
    }

    /** Whether undoing a create deletes the disk: not one that was there before. */
    boolean isNewDisk(SandboxRow row) {
        return disks.find(row.settings().disk())
                .map(disk -> disk.anonymous() || Disks.madeFor(disk, row.id()))
                .orElse(false);
    }

    /** A kept disk keeps its limit, unless another is asked for or none holds here. */
    private static long limit(Plan plan, DiskRow kept) {
        long planned = plan.settings().limits().diskBytes();
        return plan.diskLimitAsked() || planned == 0 || kept.limitBytes() == 0 ? planned : kept.limitBytes();
    }

    /** @param unready why it is in error, although it was made */
    private record Made(SandboxRow row, Optional<CortexException> unready) {}
}
