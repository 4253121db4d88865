package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One file into a sandbox, or out of it, over the API; on the client's side it comes from memory and is dropped. */
final class CortexFile implements Contender {
    private static final String PATH = "/api/v1/sandboxes/box/files?path=/home/agent/file";

    private final String name;
    private final boolean upload;
    private final Shared<CortexDaemon> daemon;
    private final UnixHttp http;
    private final ByteBuffer content = ByteBuffer.allocateDirect(256 << 10);

    private CortexFile(String name, boolean upload, Shared<CortexDaemon> daemon, UnixHttp http) {
        this.name = name;
        this.upload = upload;
        this.daemon = daemon;
        this.http = http;
    }

    /** @param daemon with a sandbox {@code box} */
    static CortexFile open(String name, boolean upload, Shared<CortexDaemon> daemon) throws Exception {
        CortexFile file = new CortexFile(name, upload, daemon, daemon.take().connect());
        file.put();
        return file;
    }

    private void put() throws IOException {
        CortexDaemon.succeeded(http.upload(PATH, content, Files.BYTES));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double once() throws Exception {
        long begin = System.nanoTime();
        if (upload) {
            put();
        } else if (http.download(PATH) != Files.BYTES) {
            throw new IOException("the download was not whole");
        }
        return Files.BYTES * 1e3 / (System.nanoTime() - begin);
    }

    @Override
    public void close() throws Exception {
        http.close();
        daemon.release();
    }
}
