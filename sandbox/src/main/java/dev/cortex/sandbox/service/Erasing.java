package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Removes everything of a sandbox, resource by resource. Idempotent: it can be cut off anywhere and begun again. The
 * record goes last, and only when looking again finds nothing left.
 */
final class Erasing {
    private final Ports ports;
    private final Drivers drivers;
    private final Disks disks;
    private final Booting booting;

    Erasing(Ports ports, Drivers drivers, Disks disks, Booting booting) {
        this.ports = ports;
        this.drivers = drivers;
        this.disks = disks;
        this.booting = booting;
    }

    /**
     * @param withDisk its disk goes too
     * @return what could not be removed; the record is then still there
     */
    List<String> erase(SandboxRow row, boolean withDisk) {
        List<String> left = new ArrayList<>();
        attempt(left, "processes and run folder", () -> booting.release(row));
        if (!left.isEmpty()) {
            // What still runs keeps its folders, or it would be removed from beneath it.
            return List.copyOf(left);
        }
        ports.boundaries().crossed(Boundary.ERASE_STOPPED);
        Optional<DiskRow> disk = withDisk ? ports.store().disk(row.settings().disk()) : Optional.empty();
        disk.ifPresent(d -> attempt(left, ports.folders().disk(d).toString(), () -> disks.delete(d)));
        ports.boundaries().crossed(Boundary.ERASE_DISK);
        Path folder = ports.folders().sandbox(row.id());
        attempt(left, folder.toString(), () -> Folders.delete(folder));
        ports.boundaries().crossed(Boundary.ERASE_FOLDER);
        lookAgain(left, row, disk);
        if (left.isEmpty()) {
            ports.store().remove(row.id(), withDisk);
            ports.boundaries().crossed(Boundary.ERASE_RECORD);
        }
        return List.copyOf(left);
    }

    /** Whether the disk was made for this very sandbox: a kept one has the folder of the sandbox that made it. */
    static String diskFolder(SandboxId id) {
        return id.value();
    }

    private void lookAgain(List<String> left, SandboxRow row, Optional<DiskRow> disk) {
        if (!left.isEmpty()) {
            return;
        }
        SandboxDriver driver = drivers.named(row.settings().driver());
        row.handle().ifPresent(handle -> {
            Observation seen = observe(driver, handle);
            if (seen != Observation.ABSENT) {
                left.add("processes: " + seen.name().toLowerCase(Locale.ROOT) + " after stopping");
            }
        });
        List<Path> folders = new ArrayList<>(
                List.of(ports.folders().run(row.id()), ports.folders().sandbox(row.id())));
        disk.ifPresent(d -> folders.add(ports.folders().disk(d)));
        folders.stream().filter(Folders::exists).forEach(path -> left.add(path.toString()));
    }

    private static Observation observe(SandboxDriver driver, Handle handle) {
        return driver.observe(List.of(handle)).getOrDefault(handle, Observation.UNKNOWN);
    }

    private static void attempt(List<String> left, String what, Removal removal) {
        try {
            removal.run();
        } catch (RuntimeException | IOException e) {
            left.add(what + ": " + e.getMessage());
        }
    }
}
