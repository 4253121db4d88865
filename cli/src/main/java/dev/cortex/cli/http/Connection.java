package dev.cortex.cli.http;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** One connection to the daemon, for one request after another, and in the end for the frames that it is upgraded to. */
public final class Connection implements Closeable {
    /** Longer heads are no answers of ours. */
    private static final int HEAD_BYTES = 64 << 10;

    private final SocketChannel channel;
    private final ByteBuffer input = ByteBuffer.allocateDirect(256 << 10).limit(0);

    private Connection(SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * @throws IOException when nobody listens there
     */
    public static Connection to(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return new Connection(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Sends a request whose body is known and waits for the answer's head. */
    public Response send(Request request) throws IOException {
        try {
            write(ByteBuffer.wrap(request.whole()));
        } catch (IOException e) {
            return earlyAnswer(e);
        }
        return answer();
    }

    /** Sends the head of a request whose body follows by {@link #write}. */
    void begin(Request request) throws IOException {
        write(ByteBuffer.wrap(request.head()));
    }

    /** Whoever refuses a body early closes while we still write: its answer says why. */
    Response earlyAnswer(IOException broken) throws IOException {
        try {
            return answer();
        } catch (IOException e) {
            broken.addSuppressed(e);
            throw broken;
        }
    }

    /** Waits for an answer's head; what comes before the final one is passed over. */
    Response answer() throws IOException {
        Response response = Response.parse(this, head());
        while (response.status() == CONTINUE) {
            response = Response.parse(this, head());
        }
        return response;
    }

    /** For {@code Expect: 100-continue}: the next head, whether final or not. */
    Response anyAnswer() throws IOException {
        return Response.parse(this, head());
    }

    static final int CONTINUE = 100;

    public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    SocketChannel channel() {
        return channel;
    }

    /** What has been read and not yet used. */
    ByteBuffer input() {
        return input;
    }

    /** Reads more behind what is there; false at the end of the stream. */
    boolean fill() throws IOException {
        input.compact();
        try {
            return channel.read(input) >= 0;
        } finally {
            input.flip();
        }
    }

    private String head() throws IOException {
        int searched = 0;
        while (true) {
            int end = endOfHead(searched);
            if (end >= 0) {
                byte[] head = new byte[end];
                input.get(head);
                return new String(head, StandardCharsets.ISO_8859_1);
            }
            searched = Math.max(0, input.remaining() - 3);
            if (input.remaining() > HEAD_BYTES) {
                throw new IOException("the daemon's answer has no end of its head");
            }
            if (!fill()) {
                throw new EOFException("the daemon closed the connection");
            }
        }
    }

    private int endOfHead(int from) {
        int begin = input.position();
        for (int i = begin + from; i + 3 < input.limit(); i++) {
            if (input.get(i) == '\r'
                    && input.get(i + 1) == '\n'
                    && input.get(i + 2) == '\r'
                    && input.get(i + 3) == '\n') {
                return i + 4 - begin;
            }
        }
        return -1;
    }

    /** Frees whoever reads or writes. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
