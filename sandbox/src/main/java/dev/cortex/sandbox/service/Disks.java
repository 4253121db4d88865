package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.disk.DiskPool;
import dev.cortex.sandbox.disk.DiskUsage;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.WorkspaceKeeping;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The disks of this home, which belong to names. */
final class Disks {
    private final SandboxStore store;
    private final Folders folders;
    private final DiskPool pool;
    private final Drivers drivers;

    Disks(Ports ports, Drivers drivers) {
        this.store = ports.store();
        this.folders = ports.folders();
        this.pool = ports.pool();
        this.drivers = drivers;
    }

    /** Fails when a disk was written under another driver or over another image than these. */
    static void requireMatch(DiskRow disk, SandboxDriver driver, Image image) {
        String digest = image.digest().orElse("");
        if (disk.driver().equals(driver.name()) && disk.digest().equals(digest)) {
            return;
        }
        String name = disk.name();
        String belongs = disk.driver().equals(driver.name())
                ? "image " + disk.image() + (disk.digest().isEmpty() ? "" : " (" + shortened(disk.digest()) + ")")
                : "driver " + disk.driver();
        throw CortexException.of(
                ErrorCode.DISK_MISMATCH,
                name + "'s disk belongs to " + belongs + ", not to "
                        + (disk.driver().equals(driver.name()) ? image.reference() : driver.name()),
                "keep it: --driver " + disk.driver() + " --image " + disk.image() + "      drop it: cortex rm --wipe "
                        + name);
    }

    /** Whether that sandbox was the first with this disk: its folder is called after it. */
    static boolean madeFor(DiskRow disk, SandboxId id) {
        return disk.folder().equals(id.value());
    }

    Path folder(DiskRow disk) {
        return folders.disk(disk);
    }

    Optional<DiskRow> find(String name) {
        return store.disk(name);
    }

    /** Takes back the copy of a folder that a sandbox which never ran put on a disk. */
    void dropWorkspace(DiskRow disk, SandboxId id) {
        if (drivers.named(disk.driver()) instanceof WorkspaceKeeping keeping) {
            pool.open();
            keeping.dropWorkspace(folder(disk), id);
        }
    }

    /** Deletes a disk that no record uses. */
    void wipe(DiskRow disk) {
        delete(disk);
        store.forgetDisk(disk.name());
    }

    /** Deletes what is on a disk, and it; its row stays. */
    void delete(DiskRow disk) {
        delete(drivers.named(disk.driver()), folder(disk));
    }

    /** Deletes a disk that has no row. */
    void delete(SandboxDriver driver, Path folder) {
        // A pool that is not mounted shows no disk: it would seem deleted, and come back with the pool.
        pool.open();
        driver.wipeDisk(folder);
    }

    /** What every disk takes that need not be walked, by the disk's name. */
    Map<String, DiskUsage> usage() {
        Map<String, DiskUsage> byFolder = pool.usage();
        Map<String, DiskUsage> byName = new HashMap<>();
        if (!byFolder.isEmpty()) {
            store.disks().forEach(disk -> {
                DiskUsage used = byFolder.get(disk.folder());
                if (used != null) {
                    byName.put(disk.name(), used);
                }
            });
        }
        return Map.copyOf(byName);
    }

    private static String shortened(String digest) {
        return digest.length() > 19 ? digest.substring(0, 19) + "…" : digest;
    }
}
