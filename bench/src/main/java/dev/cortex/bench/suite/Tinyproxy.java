package dev.cortex.bench.suite;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** Debian's tinyproxy on a port of loopback. */
final class Tinyproxy implements AutoCloseable {
    private final Process process;
    private final int port;

    private Tinyproxy(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static Tinyproxy start(Path folder) throws IOException, InterruptedException {
        if (!Files.isExecutable(Path.of("/usr/bin/tinyproxy"))) {
            throw new IOException("the package tinyproxy is not installed");
        }
        int port = freePort();
        Path settings = folder.resolve("tinyproxy.conf");
        Files.writeString(
                settings,
                "Port " + port + "\nListen 127.0.0.1\nAllow 127.0.0.1\nMaxClients 100\nTimeout 60\nLogLevel Critical\n"
                        + "LogFile \"" + folder.resolve("tinyproxy.log") + "\"\n");
        Process process = new ProcessBuilder("setsid", "/usr/bin/tinyproxy", "-d", "-c", settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Tinyproxy started = new Tinyproxy(process, port);
        for (int tries = 0; !started.answers(); tries++) {
            if (tries > 500 || !process.isAlive()) {
                started.close();
                throw new IOException("tinyproxy did not start");
            }
            Thread.sleep(10);
        }
        return started;
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    String address() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.destroy();
    }
}
