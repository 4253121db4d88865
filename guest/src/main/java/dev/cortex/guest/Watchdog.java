package dev.cortex.guest;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Closes streams whose peer keeps a blocking read or write waiting for too long. */
final class Watchdog {
    private final ScheduledThreadPoolExecutor timer;

    Watchdog() {
        timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofVirtual().name("guest-watchdog").factory());
        // Nearly every deadline is cancelled: without this each would stay in the queue until its time came.
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Closes {@code stream} after so long, unless the answer is cancelled before. */
    Future<?> closeAfter(Duration patience, Closeable stream) {
        return timer.schedule(() -> close(stream), patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Closes what is of no use any more; that it could not be closed changes nothing. */
    static void close(Closeable stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // Already as good as closed.
        }
    }
}
