package dev.cortex.cli.terminal;

/** Says what is being waited for, once it takes over a second; what takes less says nothing. */
public final class Patience implements AutoCloseable {
    private static final long SECOND = 1_000;

    private final Thread thread;

    private Patience(Thread thread) {
        this.thread = thread;
    }

    public static Patience during(Output output, String what) {
        Thread thread = new Thread(() -> wait(output, what), "cortex-patience");
        thread.setDaemon(true);
        thread.start();
        return new Patience(thread);
    }

    private static void wait(Output output, String what) {
        try {
            Thread.sleep(SECOND);
            output.say("cortex: " + what + " …");
        } catch (InterruptedException e) {
            // It is done.
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
