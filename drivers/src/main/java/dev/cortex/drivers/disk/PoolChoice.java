package dev.cortex.drivers.disk;

import java.util.Locale;
import java.util.Optional;

/** What the daemon is told about its pool of disks. A pool that exists stays what it is. */
public enum PoolChoice {
    /** A btrfs where root and the kernel allow it, else plain folders. */
    AUTO,
    /** Plain folders. */
    FOLDER,
    /** A btrfs, or nothing. */
    BTRFS;

    /** As it is written in settings and in the launcher's requests. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Empty where the text is none. */
    public static Optional<PoolChoice> of(String text) {
        for (PoolChoice choice : values()) {
            if (choice.word().equals(text)) {
                return Optional.of(choice);
            }
        }
        return Optional.empty();
    }
}
