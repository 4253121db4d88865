package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.lease.Lease;
import dev.cortex.sandbox.store.DiskRow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Removes orphans, each looked at again right before, and looks again behind it. What is not certain is kept and
 * reported.
 */
public final class Pruning {
    private static final Duration EXPECTED = Duration.ofSeconds(30);

    private final Ports ports;
    private final Exclusive exclusive;
    private final Records records;
    private final Removing removing;
    private final Orphans orphans;

    Pruning(Ports ports, Exclusive exclusive, Records records, Removing removing) {
        this.ports = ports;
        this.exclusive = exclusive;
        this.records = records;
        this.removing = removing;
        this.orphans = new Orphans(ports.store(), ports.drivers(), ports.folders());
    }

    /** Without changing anything. */
    public Orphans.Found look() {
        return orphans.look();
    }

    /** Disks that are kept for names without a sandbox. */
    public List<DiskRow> keptDisks() {
        return ports.store().disks().stream()
                .filter(disk -> records.find(disk.name()).isEmpty())
                .toList();
    }

    /**
     * Removes what was found, as far as it still is what it was.
     *
     * @param disks the disks too: those that are kept for names, and folders that no record names
     * @return what is left, with the reason; empty when everything is gone
     */
    public List<String> apply(Orphans.Found found, boolean disks) {
        List<String> left = new ArrayList<>();
        found.orphans().forEach(orphan -> remove(orphan.sandbox(), left));
        if (disks) {
            keptDisks()
                    .forEach(disk ->
                            Removal.attempt(left, disk.name(), () -> removing.removeKeptDisk(disk.name(), true)));
            found.disks().forEach(folder -> wipe(folder, left));
        }
        lookAgain(found, disks, left);
        return List.copyOf(left);
    }

    private void remove(SandboxId id, List<String> left) {
        Removal.attempt(left, id.value(), () -> {
            try (Lease lease = exclusive.take(id, id.value(), "prune", EXPECTED)) {
                if (!isKnown(id)) {
                    end(id, left);
                }
            }
        });
    }

    /** A record that was made, or can be read again, since it was looked at. */
    private boolean isKnown(SandboxId id) {
        return ports.store().spares().all().stream()
                        .anyMatch(spare -> spare.id().equals(id))
                || ports.store().find(id).isPresent()
                || ports.store().intent(id).isPresent()
                || ports.store().damaged().stream().anyMatch(line -> line.contains(id.value()));
    }

    /** Its processes first: what still runs keeps its folders. */
    private void end(SandboxId id, List<String> left) {
        StopRequest request = new StopRequest(
                id,
                ports.store().homeId(),
                Optional.empty(),
                ports.folders().run(id),
                ports.folders().sandbox(id));
        int before = left.size();
        for (SandboxDriver driver : ports.drivers()) {
            Removal.attempt(left, id.value(), () -> driver.stop(request));
        }
        if (left.size() == before) {
            Removal.attempt(
                    left, id.value(), () -> Folders.delete(ports.folders().run(id)));
            Removal.attempt(
                    left, id.value(), () -> Folders.delete(ports.folders().sandbox(id)));
        }
    }

    private void wipe(Path folder, List<String> left) {
        SandboxId id = new SandboxId(String.valueOf(folder.getFileName()));
        Removal.attempt(left, folder.toString(), () -> {
            try (Lease lease = exclusive.take(id, id.value(), "prune", EXPECTED)) {
                boolean named = ports.store().disks().stream()
                        .anyMatch(disk -> disk.folder().equals(id.value()));
                if (!named && !isKnown(id)) {
                    ports.drivers().getFirst().wipeDisk(folder);
                }
            }
        });
    }

    private void lookAgain(Orphans.Found before, boolean disks, List<String> left) {
        Orphans.Found after = look();
        Set<SandboxId> meant = new HashSet<>();
        before.orphans().forEach(orphan -> meant.add(orphan.sandbox()));
        for (Orphans.Orphan orphan : after.orphans()) {
            if (meant.contains(orphan.sandbox())
                    && left.stream()
                            .noneMatch(line -> line.startsWith(orphan.sandbox().value()))) {
                left.add(orphan.sandbox() + ": still there: " + String.join("; ", orphan.what()));
            }
        }
        if (disks) {
            after.disks().stream()
                    .filter(before.disks()::contains)
                    .filter(folder -> left.stream().noneMatch(line -> line.startsWith(folder.toString())))
                    .forEach(folder -> left.add(folder + ": still there"));
        }
    }
}
