package dev.cortex.bench.place;

import java.io.IOException;
import java.nio.file.Path;

/** The bench's own HTTP server, on a port of loopback. */
public final class WebServer implements AutoCloseable {
    private final Process process;
    private final int port;

    private WebServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** @param load the program */
    public static WebServer start(Path load) throws IOException {
        Process process = new ProcessBuilder("setsid", load.toString(), "serve")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("the bench's web server did not start");
        }
        return new WebServer(process, Integer.parseInt(line));
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
    }
}
