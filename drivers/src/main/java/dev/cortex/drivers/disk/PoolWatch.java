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
    /** So much of the headroom within one look means a fast writer. */
    private static final int FAST = 16;

    private final Path folder;
    private final long headroom;
    private final Runnable grow;
    private final Pauses pauses;
    private final AtomicReference<Thread> thread = new AtomicReference<>();
    private volatile String refusal = "";

    PoolWatch(Path folder, long headroom, Runnable grow, Pauses pauses) {
        this.folder = folder;
        this.headroom = headroom;
        this.grow = grow;
        this.pauses = pauses;
    }

    /**
     * How long after a look the next one is.
     *
     * @param calm when little was written since the last
     * @param busy while somebody writes fast
     * @param refused after a growth that failed: a host that was full is not asked at every look
     */
    record Pauses(Duration calm, Duration busy, Duration refused) {
        static final Pauses USUAL = new Pauses(Duration.ofSeconds(1), Duration.ofMillis(100), Duration.ofSeconds(10));
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
        Duration pause = pauses.calm();
        while (thread.get() == Thread.currentThread()) {
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
            long free = free();
            pause = before - free > headroom / FAST ? pauses.busy() : pauses.calm();
            if (free < headroom) {
                pause = grown() ? pauses.busy() : pauses.refused();
            }
            before = free;
        }
    }

    private boolean grown() {
        try {
            grow.run();
            refusal = "";
            return true;
        } catch (RuntimeException e) {
            // Whatever it was, the next look may find it gone; without a watch the pool would fill up unseen.
            String why = e instanceof CortexException known ? known.getMessage() : e.toString();
            if (refusal.isEmpty()) {
                LOG.log(System.Logger.Level.WARNING, "the pool of disks cannot grow: " + why, e);
            }
            refusal = why;
            return false;
        }
    }

    private long free() {
        return folder.toFile().getUsableSpace();
    }
}
