package dev.cortex.testkit.fake;

import dev.cortex.sandbox.driver.GuestStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;

/** Stands for a stream; the fake neuron is called directly, so that no byte ever travels on it. */
record FakeStream(FakeNeuron neuron) implements GuestStream {
    /** Waits for the end: nothing is ever sent. */
    @Override
    public int read(ByteBuffer target) throws IOException {
        try {
            neuron.brokenUnasked().await();
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    @Override
    public int write(ByteBuffer source) {
        throw new UnsupportedOperationException("no bytes travel on a fake stream");
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new UnsupportedOperationException("no bytes travel on a fake stream");
    }

    @Override
    public long write(ByteBuffer[] sources) {
        throw new UnsupportedOperationException("no bytes travel on a fake stream");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
