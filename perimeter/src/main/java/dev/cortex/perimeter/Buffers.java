package dev.cortex.perimeter;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Direct buffers that are used again: short connections come by the thousand. Thread-safe. */
final class Buffers {
    /** One read of a socket gives no more, mostly, and it fits into one frame. */
    private static final int BYTES = 64 << 10;

    private static final int KEPT = 64;

    private final BlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(KEPT);

    ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer == null ? ByteBuffer.allocateDirect(BYTES) : buffer;
    }

    void give(ByteBuffer buffer) {
        free.offer(buffer.clear());
    }
}
