package dev.cortex.daemon.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Optional;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Blocker;

/** A request's body as a blocking channel. Memory is what one read of the socket gives. For one thread. */
final class RequestChannel implements ReadableByteChannel {
    private final Request request;
    private Optional<Content.Chunk> chunk = Optional.empty();
    private boolean ended;

    RequestChannel(Request request) {
        this.request = request;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        while (!ended || chunk.isPresent()) {
            if (chunk.isEmpty()) {
                next();
                continue;
            }
            ByteBuffer from = chunk.get().getByteBuffer();
            int count = Math.min(from.remaining(), to.remaining());
            if (count > 0) {
                to.put(from.slice(from.position(), count));
                from.position(from.position() + count);
            }
            if (!from.hasRemaining()) {
                ended = chunk.get().isLast();
                chunk.get().release();
                chunk = Optional.empty();
            }
            if (count > 0 || !to.hasRemaining()) {
                return count;
            }
        }
        return -1;
    }

    private void next() throws IOException {
        Content.Chunk read = request.read();
        if (read == null) {
            try (Blocker.Runnable arrival = Blocker.runnable()) {
                request.demand(arrival);
                arrival.block();
            }
        } else if (Content.Chunk.isFailure(read)) {
            ended = true;
            EOFException gone = new EOFException("the request's body breaks off");
            gone.initCause(read.getFailure());
            throw gone;
        } else {
            chunk = Optional.of(read);
        }
    }

    /**
     * The whole body.
     *
     * @throws HttpProblem 413 when it is longer than {@code most}
     */
    byte[] readAll(int most) throws IOException {
        long announced = request.getLength();
        if (announced > most) {
            throw tooLong(most);
        }
        ByteBuffer body = ByteBuffer.allocate(announced > 0 ? (int) announced : 4 << 10);
        while (read(body) >= 0) {
            if (!body.hasRemaining() && announced < 0) {
                if (body.capacity() >= most) {
                    throw tooLong(most);
                }
                body = ByteBuffer.allocate(Math.min(most, 2 * body.capacity())).put(body.flip());
            } else if (!body.hasRemaining()) {
                break;
            }
        }
        byte[] bytes = new byte[body.flip().remaining()];
        body.get(bytes);
        return bytes;
    }

    private static HttpProblem tooLong(int most) {
        return HttpProblem.of(
                413,
                dev.cortex.protocol.error.ErrorCode.INVALID_ARGUMENT,
                "the body is longer than " + (most >> 20) + " MiB",
                "copy large contents as files");
    }

    @Override
    public boolean isOpen() {
        return !ended;
    }

    @Override
    public void close() {
        chunk.ifPresent(Content.Chunk::release);
        chunk = Optional.empty();
        ended = true;
    }
}
