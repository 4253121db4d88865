package dev.cortex.cli.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** An answer: its head, and its body read as it comes, whichever way its length is told. */
public final class Response {
    /** More than any JSON answer of ours, a page of 10,000 entries included. */
    private static final int JSON_BYTES = 64 << 20;

    private static final long UNTIL_CLOSED = Long.MAX_VALUE;

    private final Connection connection;
    private final int status;
    private final String head;
    private final boolean chunked;
    private final long length;

    /** Bytes that are still to come of the body, or of the chunk at hand. */
    private long left;

    private boolean begun;
    private boolean done;

    private Response(Connection connection, int status, String head) {
        this.connection = connection;
        this.status = status;
        this.head = head;
        this.chunked = header("Transfer-Encoding").orElse("").equalsIgnoreCase("chunked");
        this.length = length();
        this.left = chunked ? 0 : length;
        this.done = !chunked && length == 0;
    }

    static Response parse(Connection connection, String head) throws IOException {
        int space = head.indexOf(' ');
        if (!head.startsWith("HTTP/1.") || space < 0 || head.length() < space + 4) {
            throw new IOException("whoever answers is no daemon of ours");
        }
        try {
            return new Response(connection, Integer.parseInt(head, space + 1, space + 4, 10), head);
        } catch (NumberFormatException e) {
            throw new IOException("whoever answers is no daemon of ours", e);
        }
    }

    private long length() {
        if (status < 200 || status == 204 || status == 304) {
            return 0;
        }
        Optional<String> told = header("Content-Length");
        try {
            return told.isPresent() ? Long.parseLong(told.get()) : UNTIL_CLOSED;
        } catch (NumberFormatException e) {
            return UNTIL_CLOSED;
        }
    }

    public int status() {
        return status;
    }

    public boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    public boolean isUpgraded() {
        return status == 101;
    }

    /** Bytes of the body, where they were told before. */
    public Optional<Long> contentLength() {
        return chunked || length == UNTIL_CLOSED ? Optional.empty() : Optional.of(length);
    }

    /** Whether another request may follow on the connection once the body has been read. */
    public boolean keepsAlive() {
        return (chunked || length != UNTIL_CLOSED)
                && !header("Connection").orElse("").equalsIgnoreCase("close");
    }

    public Optional<String> header(String name) {
        int line = head.indexOf("\r\n") + 2;
        while (line > 1 && line < head.length()) {
            int end = head.indexOf("\r\n", line);
            int colon = head.indexOf(':', line);
            if (colon > 0
                    && colon < end
                    && colon - line == name.length()
                    && head.regionMatches(true, line, name, 0, name.length())) {
                return Optional.of(head.substring(colon + 1, end).strip());
            }
            line = end + 2;
        }
        return Optional.empty();
    }

    /** The whole body. */
    public byte[] body() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream(1024);
        for (Optional<ByteBuffer> next = next(); next.isPresent(); next = next()) {
            ByteBuffer bytes = next.get();
            if (all.size() + bytes.remaining() > JSON_BYTES) {
                throw new IOException("the daemon's answer is longer than " + JSON_BYTES + " bytes");
            }
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            all.write(copy, 0, copy.length);
        }
        return all.toByteArray();
    }

    /**
     * Some more of the body, valid until the next call; empty at its end.
     *
     * @throws EOFException when the connection ends before the body does
     */
    public Optional<ByteBuffer> next() throws IOException {
        if (left == 0 && chunked && !done) {
            left = chunkLength();
            done = left == 0;
        }
        if (done) {
            return Optional.empty();
        }
        ByteBuffer input = connection.input();
        if (!input.hasRemaining() && !connection.fill()) {
            if (left == UNTIL_CLOSED) {
                done = true;
                return Optional.empty();
            }
            throw new EOFException("the connection ended in the middle of an answer");
        }
        int bytes = (int) Math.min(left, input.remaining());
        ByteBuffer part = input.slice(input.position(), bytes);
        input.position(input.position() + bytes);
        if (left != UNTIL_CLOSED) {
            left -= bytes;
            done = left == 0 && !chunked;
        }
        return Optional.of(part);
    }

    private long chunkLength() throws IOException {
        if (begun) {
            line();
        }
        begun = true;
        String line = line();
        int end = line.indexOf(';');
        long size;
        try {
            size = Long.parseLong(
                    end < 0 ? line.strip() : line.substring(0, end).strip(), 16);
        } catch (NumberFormatException e) {
            throw new IOException("the daemon's answer has a chunk without a length", e);
        }
        while (size == 0 && !line().isEmpty()) {
            // Trailers: none of ours.
        }
        return size;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        ByteBuffer input = connection.input();
        while (line.length() < 8192) {
            if (!input.hasRemaining() && !connection.fill()) {
                throw new EOFException("the connection ended in the middle of an answer");
            }
            char c = (char) (input.get() & 0xff);
            if (c == '\n') {
                return line.length() > 0 && line.charAt(line.length() - 1) == '\r'
                        ? line.substring(0, line.length() - 1)
                        : line.toString();
            }
            line.append(c);
        }
        throw new IOException("the daemon's answer has a line without an end");
    }
}
