package dev.cortex.cli.training;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** What a daemon would say, as far as the training asks. */
final class Answers {
    private static final String SANDBOX = """
            {"id":"sb_1","name":"a","state":"running","reason":"","driver":"oci","runtime":"crun","image":"host",\
            "image_digest":"sha256:0123456789","user":"agent","workdir":"/w","limits":{"memory_bytes":1,"cpus":1.5,\
            "processes":1,"disk_bytes":1},"labels":{"a":"b"},"remove_on_exit":false,"primary":"",\
            "created_at":"2026-01-02T03:04:05.678Z","usage":{"memory_bytes":1,"processes":1,"sessions_running":1,\
            "sessions_started":1,"uptime_ms":1,"neuron":"1"},"disk":{"path":"/d","bytes":1,"shifted":false}}""";
    private static final String SESSION = """
            {"id":"s_1","state":"running","argv":["true"],"user":"agent","label":"","terminal":false,"held":false,\
            "started_at":"2026-01-02T03:04:05Z","newest":3,"cause":"","type":"file","size":8,"mode":420}""";

    private Answers() {}

    static void give(ServerSocketChannel server) {
        try {
            while (true) {
                SocketChannel client = server.accept();
                Thread thread = new Thread(() -> serve(client), "answer");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            // The training is over.
        }
    }

    private static void serve(SocketChannel client) {
        try (client) {
            for (String head = head(client); !head.isEmpty(); head = head(client)) {
                answer(client, head);
            }
        } catch (IOException e) {
            // The client is done.
        }
    }

    private static void answer(SocketChannel client, String head) throws IOException {
        String target = head.substring(0, head.indexOf(" HTTP/"));
        if (head.contains("Upgrade: ")) {
            upgrade(client);
        } else if (head.contains("Expect: ")) {
            write(client, "HTTP/1.1 100 Continue\r\n\r\n");
            skip(client, head);
            json(client, 200, SESSION);
        } else if (target.contains("nobody")) {
            json(client, 404, "{\"code\":\"NOT_FOUND\",\"message\":\"there is none\",\"remedy\":\"see: cortex ls\"}");
        } else if (target.startsWith("GET") && target.contains("/files?")) {
            write(client, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ncontent\n\r\n0\r\n\r\n");
        } else if (target.endsWith("GET /api/v1/sandboxes")) {
            json(client, 200, "{\"sandboxes\":[" + SANDBOX + "],\"disks\":[]}");
        } else if (target.endsWith("/sessions") && target.startsWith("GET")) {
            json(client, 200, "{\"sessions\":[" + SESSION + "]}");
        } else if (target.contains("/sessions") || target.contains("/files")) {
            json(client, 200, SESSION);
        } else {
            json(client, 200, SANDBOX);
        }
    }

    private static void upgrade(SocketChannel client) throws IOException {
        write(client, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: cortex-frames\r\nConnection: Upgrade\r\n\r\n");
        FrameChannel frames = FrameChannels.over(client);
        frames.read();
        frames.write(new Frame.HandshakeAck(true, 0, 3, 0));
        frames.write(new Frame.Data(Frame.Tag.STDOUT, ByteBuffer.wrap(new byte[] {'h', 'i', '\n'})));
        frames.write(new Frame.Exit(1, 0));
    }

    /** The head of a request whose body has been read; empty at the end of the connection. */
    private static String head(SocketChannel client) throws IOException {
        StringBuilder head = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (head.indexOf("\r\n\r\n") < 0) {
            if (client.read(one.clear()) < 0) {
                return "";
            }
            head.append((char) one.get(0));
        }
        if (!head.toString().contains("Expect: ")) {
            skip(client, head.toString());
        }
        return head.toString();
    }

    private static void skip(SocketChannel client, String head) throws IOException {
        int at = head.indexOf("Content-Length: ");
        if (at < 0) {
            return;
        }
        int length = Integer.parseInt(head.substring(at + 16, head.indexOf("\r\n", at)));
        ByteBuffer body = ByteBuffer.allocate(length);
        while (body.hasRemaining() && client.read(body) >= 0) {
            // Until all of it is there.
        }
    }

    private static void json(SocketChannel client, int status, String body) throws IOException {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        write(client, "HTTP/1.1 " + status + " X\r\nContent-Length: " + length + "\r\n\r\n" + body);
    }

    private static void write(SocketChannel client, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            client.write(bytes);
        }
    }
}
