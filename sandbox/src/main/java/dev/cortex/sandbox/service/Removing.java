package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.Lifecycle.Removed;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.session.SessionLedger;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import java.util.List;

/** Removes records, and disks where that was asked for or nobody named them. */
final class Removing {
    private final Ports ports;
    private final Exclusive exclusive;
    private final Records records;
    private final Disks disks;
    private final Erasing erasing;
    private final SessionLedger ledger;
    private final Activity activity;
    private final Waking waking;
    private final Announcing announcing;

    Removing(
            Ports ports,
            Exclusive exclusive,
            Records records,
            Disks disks,
            Erasing erasing,
            SessionLedger ledger,
            Activity activity,
            Waking waking,
            Announcing announcing) {
        this.ports = ports;
        this.exclusive = exclusive;
        this.records = records;
        this.disks = disks;
        this.erasing = erasing;
        this.ledger = ledger;
        this.activity = activity;
        this.waking = waking;
        this.announcing = announcing;
    }

    /** The lease is held. */
    Removed remove(SandboxRow row, boolean force, boolean wipe) {
        if (!(force && row.state() == State.RUNNING)) {
            Records.require(row, Trigger.REMOVE);
        }
        return erase(row, wipe);
    }

    /** The lease is held; the state does not matter any more. Goes on although the caller is interrupted. */
    Removed erase(SandboxRow row, boolean wipe) {
        Intent.Kind kind = wipe ? Intent.Kind.WIPE : Intent.Kind.REMOVE;
        ports.store().begin(new Intent(row.id(), kind, ports.clock().instant()));
        ports.boundaries().crossed(Boundary.REMOVE_BEGUN);
        Removed[] removed = new Removed[1];
        Calmly.run(() -> removed[0] = finish(row, wipe));
        return removed[0];
    }

    /** Does what is left of a remove, from wherever it was cut off. */
    Removed finish(SandboxRow row, boolean wipe) {
        boolean withDisk = wipe
                || disks.find(row.settings().disk()).map(DiskRow::anonymous).orElse(false);
        List<String> left = erasing.erase(row, withDisk);
        if (left.isEmpty()) {
            ledger.forget(row.id());
            activity.forget(row.id());
            announcing.removed(row);
        } else {
            SandboxRow failed = row.failed(
                    "remove left: " + String.join("; ", left), ports.clock().instant());
            ports.store().complete(failed);
            announcing.failed(failed);
        }
        waking.over(row.id());
        return new Removed(row.id().value(), row.name(), !withDisk, left);
    }

    /** Removes a disk that was kept when its record went. */
    Removed removeKeptDisk(String name, boolean wipe) {
        if (disks.find(name).isEmpty()) {
            throw records.unknown(name);
        }
        if (!wipe) {
            throw CortexException.of(
                    ErrorCode.NOT_FOUND,
                    "there is no sandbox " + name + ", but its disk was kept",
                    "cortex create " + name + " brings it back; cortex rm --wipe " + name + " deletes it");
        }
        try (Lease lease = exclusive.takeName(name, "wipe")) {
            if (records.find(name).isPresent()) {
                throw Admission.nameTaken(name, "made just now");
            }
            // Found again: until the lease was held, the name may have got and left another disk.
            disks.wipe(disks.find(name).orElseThrow(() -> records.unknown(name)));
            return new Removed("", name, false, List.of());
        }
    }
}
