package dev.cortex.testkit.http;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/** One kept connection to a server's Unix socket, for one request after another. Blocking; for one thread. */
public final class UnixHttp implements Closeable {
    private static final byte[] NO_BODY = {};
    private static final int HEAD_BYTES = 64 << 10;

    private final Path socket;
    private final ByteBuffer input = ByteBuffer.allocateDirect(256 << 10).limit(0);
    private SocketChannel channel;

    private UnixHttp(Path socket) throws IOException {
        this.socket = socket;
        this.channel = connect(socket);
    }

    /** @throws IOException when nobody listens there */
    public static UnixHttp to(Path socket) throws IOException {
        return new UnixHttp(socket);
    }

    private static SocketChannel connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    public HttpAnswer get(String target) throws IOException {
        return call("GET", target, NO_BODY);
    }

    public HttpAnswer delete(String target) throws IOException {
        return call("DELETE", target, NO_BODY);
    }

    public HttpAnswer post(String target, String json) throws IOException {
        return call("POST", target, json.getBytes(StandardCharsets.UTF_8));
    }

    private HttpAnswer call(String method, String target, byte[] body) throws IOException {
        send(method, target, "", body);
        return answer();
    }

    /** A request that ends with an upgrade, or with the refusal that is answered. */
    public HttpAnswer upgrade(String target, String protocol, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        send("POST", target, "Connection: Upgrade\r\nUpgrade: " + protocol + "\r\n", body);
        String head = head();
        int status = status(head);
        return status == 101 ? new HttpAnswer(status, head, NO_BODY) : answer(head);
    }

    /** Sends a body of so many bytes, by writing this buffer again and again. */
    public HttpAnswer upload(String target, ByteBuffer content, long bytes) throws IOException {
        write(ByteBuffer.wrap(headOf("PUT", target, "Content-Length: " + bytes + "\r\n")));
        for (long left = bytes; left > 0; ) {
            ByteBuffer part = content.duplicate();
            part.limit((int) Math.min(part.limit(), left));
            left -= part.remaining();
            write(part);
        }
        return answer();
    }

    /** Reads a body and drops it; answers its length. */
    public long download(String target) throws IOException {
        write(ByteBuffer.wrap(headOf("GET", target, "")));
        String head = head();
        if (status(head) != 200) {
            throw new IOException("the download was refused: " + answer(head).text());
        }
        return body(head, bytes -> {});
    }

    private void send(String method, String target, String headers, byte[] body) throws IOException {
        String length = body.length == 0 && !method.equals("POST")
                ? ""
                : "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n";
        byte[] head = headOf(method, target, headers + length);
        ByteBuffer whole = ByteBuffer.allocate(head.length + body.length);
        write(whole.put(head).put(body).flip());
    }

    private static byte[] headOf(String method, String target, String headers) {
        return (method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** The connection behind an upgrade, with what of it was read already. */
    public ByteChannel upgraded() {
        return new ByteChannel() {
            @Override
            public int read(ByteBuffer to) throws IOException {
                if (!input.hasRemaining()) {
                    return channel.read(to);
                }
                int some = Math.min(input.remaining(), to.remaining());
                to.put(input.slice(input.position(), some));
                input.position(input.position() + some);
                return some;
            }

            @Override
            public int write(ByteBuffer from) throws IOException {
                return channel.write(from);
            }

            @Override
            public boolean isOpen() {
                return channel.isOpen();
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    /** A header of an answer, or empty. */
    public static String header(HttpAnswer answer, String name) {
        return header(answer.head(), name.toLowerCase(Locale.ROOT));
    }

    private HttpAnswer answer() throws IOException {
        return answer(head());
    }

    private HttpAnswer answer(String head) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(1024);
        body(head, part -> {
            byte[] copy = new byte[part.remaining()];
            part.get(copy);
            all.write(copy, 0, copy.length);
        });
        return new HttpAnswer(status(head), head, all.toByteArray());
    }

    private interface Sink {
        void take(ByteBuffer part);
    }

    private long body(String head, Sink sink) throws IOException {
        String length = header(head, "content-length");
        long bytes;
        if (header(head, "transfer-encoding").equalsIgnoreCase("chunked")) {
            bytes = chunks(sink);
        } else if (!length.isEmpty()) {
            bytes = take(Long.parseLong(length), sink);
        } else if (status(head) == 204 || status(head) == 304) {
            bytes = 0;
        } else {
            bytes = untilClosed(sink);
        }
        if (header(head, "connection").equalsIgnoreCase("close") && channel.isOpen()) {
            reconnect();
        }
        return bytes;
    }

    private long chunks(Sink sink) throws IOException {
        long all = 0;
        while (true) {
            String line = line();
            int end = line.indexOf(';');
            long size = Long.parseLong((end < 0 ? line : line.substring(0, end)).strip(), 16);
            if (size == 0) {
                while (!line().isEmpty()) {
                    // Trailers tell nothing here.
                }
                return all;
            }
            all += take(size, sink);
            line();
        }
    }

    private long take(long bytes, Sink sink) throws IOException {
        for (long left = bytes; left > 0; ) {
            if (!input.hasRemaining() && !fill()) {
                throw new EOFException("the connection ended in the middle of an answer");
            }
            int some = (int) Math.min(left, input.remaining());
            sink.take(input.slice(input.position(), some));
            input.position(input.position() + some);
            left -= some;
        }
        return bytes;
    }

    private long untilClosed(Sink sink) throws IOException {
        long all = input.remaining();
        sink.take(input.slice());
        input.position(input.limit());
        while (fill()) {
            all += input.remaining();
            sink.take(input.slice());
            input.position(input.limit());
        }
        reconnect();
        return all;
    }

    /** A server that closes behind an answer is dialled again for the next request. */
    private void reconnect() throws IOException {
        channel.close();
        input.limit(0);
        channel = connect(socket);
    }

    private boolean fill() throws IOException {
        input.compact();
        try {
            return channel.read(input) >= 0;
        } finally {
            input.flip();
        }
    }

    private String head() throws IOException {
        StringBuilder head = new StringBuilder(512);
        String line = line();
        while (!line.isEmpty()) {
            head.append(line).append('\n');
            if (head.length() > HEAD_BYTES) {
                throw new IOException("the answer's head has no end");
            }
            line = line();
        }
        return head.toString();
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        while (line.length() < HEAD_BYTES) {
            if (!input.hasRemaining() && !fill()) {
                throw new EOFException("the connection ended before an answer");
            }
            char c = (char) (input.get() & 0xff);
            if (c == '\n') {
                return line.toString();
            }
            if (c != '\r') {
                line.append(c);
            }
        }
        throw new IOException("the answer has a line without an end");
    }

    private static int status(String head) throws IOException {
        int space = head.indexOf(' ');
        if (!head.startsWith("HTTP/1.") || space < 0) {
            throw new IOException("whoever answers does not speak HTTP: " + head);
        }
        return Integer.parseInt(head.substring(space + 1, space + 4));
    }

    private static String header(String head, String name) {
        return head.lines()
                .skip(1)
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** Frees whoever reads or writes. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
