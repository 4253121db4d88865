package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.SandboxDriver;
import java.time.Duration;
import java.util.List;

/** Waits for a neuron that has just been started: its process may live before its listener is there. */
final class Answering {
    /** A first process that does not answer by then never will; the slowest runtime measured takes 0.7 s. */
    private static final Duration ANSWER = Duration.ofSeconds(20);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private Answering() {}

    /** Repeats a call until it is answered, as long as the process lives. */
    static void until(SandboxDriver driver, Handle handle, Runnable call) {
        long deadline = System.nanoTime() + ANSWER.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            try {
                call.run();
                return;
            } catch (CortexException e) {
                boolean mayCome = e.code() == ErrorCode.GUEST_LOST && System.nanoTime() < deadline;
                if (!mayCome || Thread.currentThread().isInterrupted() || gone(driver, handle)) {
                    throw e;
                }
                pause = rest(pause);
            }
        }
    }

    private static boolean gone(SandboxDriver driver, Handle handle) {
        return driver.observe(List.of(handle)).get(handle) == Observation.ABSENT;
    }

    /** Sleeps, and says for how long to sleep the next time. */
    static Duration rest(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Booting.cancelled();
        }
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
}
