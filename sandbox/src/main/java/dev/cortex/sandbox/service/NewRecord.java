package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import java.nio.file.Path;
import java.time.Instant;

/** The rows that a create begins with, as pure functions of what was planned. */
final class NewRecord {
    private NewRecord() {}

    static DiskRow disk(Plan plan, SandboxId id, Instant now) {
        return new DiskRow(
                plan.name(),
                Erasing.diskFolder(id),
                plan.driver().name(),
                plan.image().reference(),
                plan.image().digest().orElse(""),
                plan.anonymous(),
                plan.settings().limits().diskBytes(),
                now);
    }

    /** @param folder of the disk */
    static SandboxRow sandbox(Plan plan, SandboxId id, DiskRow disk, Path folder, Instant now) {
        String workdir =
                plan.workdir().orElseGet(() -> plan.driver().placement(folder).workdir());
        String primary = plan.primary().map(SessionSpec::id).orElse("");
        return SandboxRow.created(
                id, plan.name(), plan.settings().in(workdir).limitedTo(disk.limitBytes()), primary, now);
    }
}
