package dev.cortex.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Space set aside in a file of the home, and given up when its disk is full, so that what frees space can be written
 * down. Made again once there is room. Thread-safe.
 */
public final class SpaceReserve {
    /** SQLite's log grows to 4 MiB before it is folded in; the statuses of 1,000 sessions take less than 1 MiB. */
    static final int BYTES = 8 << 20;

    private static final int CHUNK = 1 << 20;

    /** Whoever has just made room shall find some of it. */
    private static final long ROOM = 4L * BYTES;

    /** A full disk is not tried at every turn. */
    private static final long AGAIN_NANOS = 5_000_000_000L;

    private final Path file;
    private final AtomicBoolean missing = new AtomicBoolean();
    private volatile long triedAt;

    /** @param file which nobody else touches */
    public SpaceReserve(Path file) {
        this.file = file;
    }

    /**
     * Gives the space up.
     *
     * @return whether there was any
     */
    public synchronized boolean release() {
        try {
            missing.set(true);
            triedAt = System.nanoTime();
            return Files.deleteIfExists(file);
        } catch (IOException e) {
            return false;
        }
    }

    /** Begins to make it again in the background, if it was given up and some time has gone by. */
    void refillSoon() {
        if (missing.get() && System.nanoTime() - triedAt > AGAIN_NANOS) {
            triedAt = System.nanoTime();
            Thread.ofVirtual().name("space-reserve").start(this::refill);
        }
    }

    /** Sets the space aside where that leaves room; else does nothing. */
    public synchronized void refill() {
        try {
            if (Files.exists(file)) {
                missing.set(false);
                return;
            }
            missing.set(true);
            if (file.toAbsolutePath().resolveSibling(".").toFile().getUsableSpace() < ROOM) {
                return;
            }
            Path partial = file.resolveSibling(file.getFileName() + ".new");
            try {
                write(partial);
                Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
                missing.set(false);
            } catch (IOException e) {
                Files.deleteIfExists(partial);
            }
        } catch (IOException e) {
            // Without a reserve everything works until the disk is full; it is tried again.
            return;
        }
    }

    /** Written, not merely made long: a hole holds no space. */
    private static void write(Path to) throws IOException {
        try (FileChannel channel = FileChannel.open(
                to,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer zeros = ByteBuffer.allocate(CHUNK);
            for (int written = 0; written < BYTES; written += CHUNK) {
                zeros.clear();
                while (zeros.hasRemaining()) {
                    channel.write(zeros);
                }
            }
        }
    }
}
