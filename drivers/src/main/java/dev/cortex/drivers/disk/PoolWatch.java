package dev.cortex.drivers.disk;

import dev.cortex.protocol.error.CortexException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lets a pool grow before it is full: looks at its free space every second, and more often while somebody writes fast.
 * One statfs costs a microsecond.
 */
final class PoolWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.cortex.drivers.disk");
    private static final Duration CALM = Duration.ofSeconds(1);
    private static final Duration BUSY = Duration.ofMillis(100);

    /** A host that was full is not asked at every look. */
    private static final Duration REFUSED = Duration.ofSeconds(10);

    /** So much of the headroom within one look means a fast writer. */
    private static final int FAST = 16;

    private final Path folder;
    private final long headroom;
    private final Runnable grow;
    private final AtomicReference<Thread> thread = new AtomicReference<>();
    private volatile String refusal = "";

    PoolWatch(Path folder, long headroom, Runnable grow) {
        this.folder = folder;
        this.headroom = headroom;
        this.grow = grow;
    }

    /** From now on; a second call does nothing. */
    void begin() {
        Thread watching = Thread.ofVirtual().name("disk-pool-watch").unstarted(this::run);
        if (thread.compareAndSet(null, watching)) {
            watching.start();
        }
    }

    /** Why it could not grow when it last should have. */
    Optional<String> refusal() {
        return refusal.isEmpty() ? Optional.empty() : Optional.of(refusal);
    }

    @Override
    public void close() {
        Thread watching = thread.getAndSet(null);
        if (watching != null) {
            watching.interrupt();
        }
    }

    private void run() {
        long before = free();
        Duration pause = CALM;
        while (thread.get() == Thread.currentThread()) {
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
            long free = free();
            pause = before - free > headroom / FAST ? BUSY : CALM;
            if (free < headroom) {
                pause = grown() ? BUSY : REFUSED;
            }
            before = free;
        }
    }

    private boolean grown() {
        try {
            grow.run();
            refusal = "";
            return true;
        } catch (CortexException e) {
            if (refusal.isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, "the pool of disks cannot grow: " + e.getMessage());
            }
            refusal = e.getMessage();
            return false;
        }
    }

    private long free() {
        return folder.toFile().getUsableSpace();
    }
}
