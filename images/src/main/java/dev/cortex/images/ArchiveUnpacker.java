package dev.cortex.images;

import java.nio.file.Path;

/**
 * Unpacks root file systems with the owners that they name, which takes rights that a JVM need not have. Implemented by
 * the launcher, wired by the engine.
 */
public interface ArchiveUnpacker {
    /**
     * Unpacks a tar archive, plain or gzip, beneath {@code target}, an empty folder; nothing outside it is touched.
     *
     * @return SHA-256 of the archive as it was read, lower-case hex
     * @throws dev.cortex.protocol.error.CortexException INVALID_ARGUMENT naming the entry that is refused, DISK_FULL
     */
    String unpack(Path archive, Path target);

    /** Deletes what was unpacked, whoever owns it; a missing folder is no error. */
    void wipe(Path folder);
}
