package dev.cortex.cli.session;

import dev.cortex.protocol.wire.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/** The last lines of an output, each part still on its own stream. What is kept inside is bounded by the ring it is from. */
public final class LastLines implements Sink {
    private final long most;
    private final Deque<Part> parts = new ArrayDeque<>();

    public LastLines(long most) {
        this.most = most;
    }

    private record Part(Frame.Tag tag, ByteBuffer bytes) {}

    @Override
    public void write(Frame.Tag tag, ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
        if (copy.hasRemaining()) {
            parts.add(new Part(tag, copy));
        }
    }

    /**
     * @throws IOException when the sink takes no more
     */
    public void writeTo(Sink sink) throws IOException {
        cut();
        for (Part part : parts) {
            sink.write(part.tag(), part.bytes());
        }
    }

    /** Counts line ends from behind; the one that ends the output ends a line and begins none. */
    private void cut() {
        long ends = 0;
        boolean veryLast = true;
        boolean found = most == 0;
        for (Iterator<Part> backwards = parts.descendingIterator(); backwards.hasNext(); ) {
            ByteBuffer bytes = backwards.next().bytes();
            if (found) {
                backwards.remove();
                continue;
            }
            for (int i = bytes.limit() - 1; i >= 0 && !found; i--) {
                if (bytes.get(i) == '\n' && !veryLast && ++ends == most) {
                    bytes.position(i + 1);
                    found = true;
                }
                veryLast = false;
            }
        }
    }
}
