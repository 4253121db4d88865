package dev.cortex.cli;

import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A daemon's socket whose answers a test writes: what a client does on the wire, without what a daemon does behind it. */
final class ScriptedDaemon implements AutoCloseable {
    private final ServerSocketChannel server;
    private final Script script;
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final List<SocketChannel> open = new CopyOnWriteArrayList<>();

    interface Script {
        void answer(Exchange exchange) throws IOException, InterruptedException;
    }

    ScriptedDaemon(Path socket, Script script) throws IOException {
        this.script = script;
        Files.createDirectories(socket.getParent());
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::accept);
    }

    /** Requests in their order, as method and target. */
    List<String> seen() {
        return seen;
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel channel = server.accept();
                open.add(channel);
                Thread.ofVirtual().start(() -> serve(channel));
            }
        } catch (IOException e) {
            // Closed by the test.
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            while (true) {
                Exchange exchange = Exchange.read(channel);
                seen.add(exchange.method() + " " + exchange.target());
                script.answer(exchange);
            }
        } catch (IOException e) {
            // The client is done.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (SocketChannel channel : open) {
            channel.close();
        }
    }

    /** One request with its answer to be written. */
    record Exchange(SocketChannel channel, String method, String target, Map<String, String> headers, byte[] body) {
        static Exchange read(SocketChannel channel) throws IOException {
            String[] lines = head(channel).split("\r\n");
            String[] first = lines[0].split(" ");
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            for (int i = 1; i < lines.length; i++) {
                int colon = lines[i].indexOf(':');
                headers.put(
                        lines[i].substring(0, colon),
                        lines[i].substring(colon + 1).strip());
            }
            if (headers.containsKey("Expect")) {
                return new Exchange(channel, first[0], first[1], headers, new byte[0]);
            }
            int length = Integer.parseInt(headers.getOrDefault("Content-Length", "0"));
            return new Exchange(channel, first[0], first[1], headers, bytes(channel, length));
        }

        private static String head(SocketChannel channel) throws IOException {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                head.write(bytes(channel, 1)[0]);
            }
            return head.toString(StandardCharsets.ISO_8859_1);
        }

        private static byte[] bytes(SocketChannel channel, int count) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(count);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw new EOFException();
                }
            }
            return buffer.array();
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        boolean is(String methodAndTarget) {
            return (method + " " + target).equals(methodAndTarget);
        }

        boolean startsWith(String methodAndTarget) {
            return (method + " " + target).startsWith(methodAndTarget);
        }

        void json(int status, String body) throws IOException {
            write("HTTP/1.1 " + status + " X\r\nContent-Type: application/json\r\nContent-Length: "
                    + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
        }

        void problem(int status, String code, String message, String remedy) throws IOException {
            json(status, """
                    {"type":"about:blank","status":%d,"code":"%s","message":"%s","remedy":"%s"}""".formatted(status, code, message, remedy));
        }

        /** Reads a body that was announced by Expect: 100-continue. */
        byte[] upload() throws IOException {
            write("HTTP/1.1 100 Continue\r\n\r\n");
            if (headers.containsKey("Content-Length")) {
                return bytes(channel, Integer.parseInt(headers.get("Content-Length")));
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            while (true) {
                StringBuilder size = new StringBuilder();
                while (size.indexOf("\r\n") < 0) {
                    size.append((char) bytes(channel, 1)[0]);
                }
                int length = Integer.parseInt(size.toString().strip().toLowerCase(Locale.ROOT), 16);
                all.write(bytes(channel, length));
                bytes(channel, 2);
                if (length == 0) {
                    return all.toByteArray();
                }
            }
        }

        /** Upgrades; what is written with the head arrives in one piece with it. */
        FrameChannel upgrade(byte... early) throws IOException {
            byte[] head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: cortex-frames\r\n\r\n"
                    .getBytes(StandardCharsets.ISO_8859_1);
            ByteBuffer all = ByteBuffer.allocate(head.length + early.length)
                    .put(head)
                    .put(early)
                    .flip();
            while (all.hasRemaining()) {
                channel.write(all);
            }
            return FrameChannels.over(channel);
        }

        void write(String text) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }
}
