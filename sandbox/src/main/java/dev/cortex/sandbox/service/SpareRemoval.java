package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.store.SpareRow;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Removes everything of a spare: nothing of a user's is in it. Idempotent, as {@link Erasing}; its row goes last, and
 * only when looking again finds nothing left.
 */
final class SpareRemoval {
    private final Ports ports;
    private final Drivers drivers;
    private final Disks disks;

    SpareRemoval(Ports ports, Drivers drivers, Disks disks) {
        this.ports = ports;
        this.drivers = drivers;
        this.disks = disks;
    }

    /** @return what could not be removed; its row is then still there */
    List<String> remove(SpareRow row) {
        SandboxDriver driver;
        try {
            driver = drivers.named(row.kind().driver());
        } catch (CortexException e) {
            return List.of(row.id() + ": " + e.getMessage());
        }
        Path run = ports.folders().run(row.id());
        Path folder = ports.folders().sandbox(row.id());
        List<String> left = new ArrayList<>();
        Removal.attempt(
                left,
                row.id() + ": processes",
                () -> driver.stop(new StopRequest(row.id(), ports.store().homeId(), row.handle(), run, folder)));
        if (!left.isEmpty()) {
            // What still runs keeps its folders, or they would be removed from beneath it.
            return left;
        }
        ports.boundaries().crossed(Boundary.DRAIN_STOPPED);
        Path disk = ports.folders().disks().resolve(Erasing.diskFolder(row.id()));
        Removal.attempt(left, disk.toString(), () -> disks.delete(driver, disk));
        ports.boundaries().crossed(Boundary.DRAIN_DISK);
        Removal.attempt(left, run.toString(), () -> Folders.delete(run));
        Removal.attempt(left, folder.toString(), () -> Folders.delete(folder));
        ports.boundaries().crossed(Boundary.DRAIN_FOLDERS);
        List.of(run, folder, disk).stream()
                .filter(Folders::exists)
                .filter(path -> left.stream().noneMatch(line -> line.startsWith(path.toString())))
                .forEach(path -> left.add(path + ": still there"));
        if (left.isEmpty()) {
            ports.store().spares().remove(row.id());
            ports.boundaries().crossed(Boundary.DRAIN_RECORD);
        }
        return left;
    }
}
