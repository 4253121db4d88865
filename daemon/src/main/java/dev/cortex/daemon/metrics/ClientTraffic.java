package dev.cortex.daemon.metrics;

import java.util.concurrent.atomic.LongAdder;

/** Counts clients that are attached, and bytes from and to all clients. Thread-safe, and cheap enough for every frame. */
public final class ClientTraffic {
    private final LongAdder attached = new LongAdder();
    private final LongAdder in = new LongAdder();
    private final LongAdder out = new LongAdder();

    public void attached() {
        attached.increment();
    }

    public void detached() {
        attached.decrement();
    }

    /** Bytes that a client sent; a count below 0, an end, is none. */
    public void received(long bytes) {
        if (bytes > 0) {
            in.add(bytes);
        }
    }

    /** Bytes that went to a client. */
    public void sent(long bytes) {
        if (bytes > 0) {
            out.add(bytes);
        }
    }

    long attachedNow() {
        return attached.sum();
    }

    long receivedBytes() {
        return in.sum();
    }

    long sentBytes() {
        return out.sum();
    }
}
