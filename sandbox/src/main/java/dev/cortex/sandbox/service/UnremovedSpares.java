package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.store.SpareRow;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Removes spares, and remembers those of which something is left, to be tried again: each of them has a row, a slot and
 * perhaps a disk and processes, of which no more may pile up. Thread-safe.
 */
final class UnremovedSpares {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    private final Ports ports;
    private final SpareRemoval removal;
    private final Set<SandboxId> left = new HashSet<>();
    private Rest rest = Rest.NONE;

    UnremovedSpares(Ports ports, SpareRemoval removal) {
        this.ports = ports;
        this.removal = removal;
    }

    /** The caller has it alone. What is left of it is logged, and tried again. */
    void remove(SpareRow row) {
        boolean gone = false;
        try {
            List<String> what = removal.remove(row);
            gone = what.isEmpty();
            if (!gone) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "of the spare " + row.id() + " is left: " + String.join("; ", what));
            }
        } catch (CortexException e) {
            LOG.log(System.Logger.Level.WARNING, "the spare " + row.id() + " could not be removed", e);
        } finally {
            if (gone) {
                forget(row.id());
            } else {
                remember(row.id());
            }
        }
    }

    /** Whether something is left, which takes a place that another spare could have. */
    synchronized boolean any() {
        return !left.isEmpty();
    }

    /** Tries all of them again, after a rest. Only one thread may do so at a time. */
    void again() {
        Set<SandboxId> due = due();
        if (due.isEmpty()) {
            return;
        }
        List<SpareRow> rows = ports.store().spares().all();
        rows.stream().filter(row -> due.contains(row.id())).forEach(this::remove);
        // Whose row has gone was removed, but for the word of it.
        due.stream()
                .filter(id -> rows.stream().noneMatch(row -> row.id().equals(id)))
                .forEach(this::forget);
    }

    private synchronized Set<SandboxId> due() {
        if (left.isEmpty() || rest.holds(ports.clock().instant())) {
            return Set.of();
        }
        rest = rest.next(ports.clock().instant());
        return Set.copyOf(left);
    }

    private synchronized void remember(SandboxId id) {
        if (left.add(id) && !rest.holds(ports.clock().instant())) {
            rest = rest.next(ports.clock().instant());
        }
    }

    private synchronized void forget(SandboxId id) {
        left.remove(id);
        if (left.isEmpty()) {
            rest = Rest.NONE;
        }
    }
}
