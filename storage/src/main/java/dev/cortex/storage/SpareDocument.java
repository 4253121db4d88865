package dev.cortex.storage;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.sandbox.terms.Rights;
import dev.cortex.storage.Documents.HandleDocument;
import java.time.Instant;
import java.util.Optional;

/** A spare as it is kept. */
record SpareDocument(
        int version,
        String driver,
        String runtime,
        String image,
        String digest,
        String root,
        long memoryBytes,
        double cpus,
        long processes,
        long diskBytes,
        boolean rootSessions,
        Rights.Seccomp seccomp,
        String build,
        String boot,
        Optional<HandleDocument> handle,
        Instant made) {
    static final int VERSION = 1;

    static SpareDocument of(SpareRow row) {
        SpareKind kind = row.kind();
        Limits limits = kind.limits();
        return new SpareDocument(
                VERSION,
                kind.driver(),
                kind.runtime(),
                kind.image(),
                kind.digest(),
                kind.root(),
                limits.memoryBytes(),
                limits.cpus(),
                limits.processes(),
                limits.diskBytes(),
                kind.rights().root(),
                kind.rights().seccomp(),
                row.build(),
                row.boot(),
                row.handle().map(h -> new HandleDocument(h.driver(), h.version(), h.data())),
                row.made());
    }

    SpareRow row(SandboxId id, int slot) {
        if (version != VERSION) {
            throw new IllegalArgumentException("a spare's record of version " + version);
        }
        return new SpareRow(
                id,
                slot,
                new SpareKind(
                        driver,
                        runtime,
                        image,
                        digest,
                        root,
                        new Limits(memoryBytes, cpus, processes, diskBytes),
                        new Rights(rootSessions, seccomp)),
                build,
                boot,
                handle.map(h -> new Handle(h.driver(), h.version(), id, h.data())),
                made);
    }
}
