package dev.cortex.daemon.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** HTTP by hand, so that a test can send what no library would. */
record Client(SocketChannel socket) implements AutoCloseable {
    record Answer(int status, String head, byte[] body) {
        Optional<String> header(String name) {
            for (String line : head.split("\r\n")) {
                if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":")) {
                    return Optional.of(line.substring(name.length() + 1).strip());
                }
            }
            return Optional.empty();
        }

        JsonNode json() {
            return JsonMapper.shared().readTree(body);
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    void send(String text) throws IOException {
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    void write(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            socket.write(buffer);
        }
    }

    /** Sends a request, headers as {@code Name: value} lines. */
    void request(String method, String path, String body, String... headers) throws IOException {
        StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        boolean host = false;
        for (String header : headers) {
            request.append(header).append("\r\n");
            host |= header.startsWith("Host:");
        }
        if (!host) {
            request.append("Host: localhost\r\n");
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0) {
            request.append("Content-Length: ").append(bytes.length).append("\r\n");
        }
        send(request + "\r\n" + body);
    }

    Answer call(String method, String path, String body, String... headers) throws IOException {
        request(method, path, body, headers);
        return answer(method.equals("HEAD"));
    }

    Answer get(String path, String... headers) throws IOException {
        return call("GET", path, "", headers);
    }

    Answer answer(boolean headOnly) throws IOException {
        String head = head();
        int status = Integer.parseInt(head.substring(9, 12));
        Answer bare = new Answer(status, head, new byte[0]);
        if (headOnly || status == 101) {
            return bare;
        }
        Optional<String> length = bare.header("Content-Length");
        byte[] body = length.isPresent() ? exactly(Integer.parseInt(length.get())) : chunks();
        return new Answer(status, head, body);
    }

    String head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) (exactly(1)[0] & 0xff));
        }
        return head.toString();
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int length = Integer.parseInt(line(), 16);
            body.writeBytes(exactly(length));
            line();
            if (length == 0) {
                return body.toByteArray();
            }
        }
    }

    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.indexOf("\n") < 0) {
            line.append((char) (exactly(1)[0] & 0xff));
        }
        return line.toString().strip();
    }

    byte[] exactly(int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        while (bytes.hasRemaining()) {
            if (socket.read(bytes) < 0) {
                throw new java.io.EOFException("after " + bytes.position() + " of " + count + " bytes");
            }
        }
        return bytes.array();
    }

    ByteChannel raw() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
