package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.lease.Leases;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Runs an operation while it holds its sandbox's lease, on the record as it is then. */
final class Exclusive {
    /** So long the second operation waits for the first. */
    private static final Duration WAIT = Duration.ofSeconds(10);

    private final Leases leases;
    private final Records records;
    private final SandboxStore store;

    Exclusive(Leases leases, Records records, SandboxStore store) {
        this.leases = leases;
        this.records = records;
        this.store = store;
    }

    /** @param settle ends what an earlier operation left unfinished, and answers the record as it is then, if it is */
    <T> T on(
            String nameOrId,
            String operation,
            Duration expected,
            Function<SandboxRow, Optional<SandboxRow>> settle,
            Function<SandboxRow, T> work) {
        SandboxRow found = records.require(nameOrId);
        try (Lease lease = take(found, operation, expected)) {
            SandboxRow row = store.find(found.id())
                    .flatMap(now -> store.intent(now.id()).isPresent() ? settle.apply(now) : Optional.of(now))
                    .orElseThrow(() -> records.unknown(nameOrId));
            return work.apply(row);
        }
    }

    /** The lease of a sandbox that is known. */
    Lease take(SandboxRow row, String operation, Duration expected) {
        return take(row.id(), row.name(), operation, expected);
    }

    Lease take(SandboxId id, String name, String operation, Duration expected) {
        return leases.acquire(id.value(), name, operation, WAIT, expected);
    }

    /** The right to decide about a name and the disk that belongs to it. */
    Lease takeName(String name, String operation) {
        return leases.acquire("name " + name, name, operation, WAIT, WAIT);
    }
}
