package dev.cortex.cli.session;

import java.nio.ByteBuffer;

/**
 * Finds Ctrl-] pressed twice in what is typed. The first is held back for a moment: a program that got it would take the
 * next key for its argument, as readline does. When no second one follows, it goes to the program after all.
 */
final class LeaveKey {
    static final byte KEY = 0x1d;

    /** Longer than two presses of a hand take, shorter than a person who meant one of them minds. */
    private static final long HELD_MILLIS = 400;

    private final Typed typed;
    private boolean held;
    private long presses;

    /** Takes what was typed. */
    interface Typed {
        void accept(ByteBuffer bytes) throws InterruptedException;
    }

    LeaveKey(Typed typed) {
        this.typed = typed;
    }

    /** Passes it on; true when the person wants to leave, and what came before has been passed on. */
    synchronized boolean typed(ByteBuffer bytes) throws InterruptedException {
        if (held) {
            held = false;
            if (bytes.hasRemaining() && bytes.get(bytes.position()) == KEY) {
                return true;
            }
            typed.accept(ByteBuffer.wrap(new byte[] {KEY}));
        }
        int at = find(bytes);
        if (at < 0) {
            typed.accept(bytes);
            return false;
        }
        if (at > bytes.position()) {
            typed.accept(bytes.slice(bytes.position(), at - bytes.position()));
        }
        bytes.position(at + 1);
        held = true;
        if (bytes.hasRemaining()) {
            return typed(bytes);
        }
        release(++presses);
        return false;
    }

    private static int find(ByteBuffer bytes) {
        for (int i = bytes.position(); i < bytes.limit(); i++) {
            if (bytes.get(i) == KEY) {
                return i;
            }
        }
        return -1;
    }

    private void release(long press) {
        Thread waiting = new Thread(() -> releaseLater(press), "cortex-leave-key");
        waiting.setDaemon(true);
        waiting.start();
    }

    private void releaseLater(long press) {
        try {
            Thread.sleep(HELD_MILLIS);
            synchronized (this) {
                if (held && presses == press) {
                    held = false;
                    typed.accept(ByteBuffer.wrap(new byte[] {KEY}));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
