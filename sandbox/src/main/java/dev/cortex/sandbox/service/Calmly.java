package dev.cortex.sandbox.service;

/** Runs what must be finished although its thread was interrupted: an interrupt would break the very calls that undo. */
final class Calmly {
    private Calmly() {}

    /** Runs {@code work} on a thread that nobody interrupts, and waits for it; the caller's interrupt is kept. */
    static void run(Runnable work) {
        Throwable[] thrown = new Throwable[1];
        Thread thread = Thread.ofVirtual().name("undo").start(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                thrown[0] = e;
            }
        });
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (thrown[0] instanceof RuntimeException e) {
            throw e;
        }
        if (thrown[0] instanceof Error e) {
            throw e;
        }
    }
}
