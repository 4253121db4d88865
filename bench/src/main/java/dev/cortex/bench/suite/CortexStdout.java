package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import dev.cortex.testkit.http.HttpAnswer;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.util.Optional;

/** A session's output over the raw upgrade on the Unix socket, read as frames and dropped. */
final class CortexStdout implements Contender {
    private final String name;
    private final CortexDaemon daemon;
    private final String request;

    private CortexStdout(String name, CortexDaemon daemon) {
        this.name = name;
        this.daemon = daemon;
        this.request = CortexDaemon.stream(Flood.ARGV);
    }

    static CortexStdout open(String name, CortexDaemon daemon, String runtime) throws IOException {
        try (UnixHttp http = daemon.connect()) {
            CortexDaemon.create(http, "box", runtime);
        }
        return new CortexStdout(name, daemon);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double once() throws Exception {
        try (UnixHttp http = daemon.connect()) {
            long begin = System.nanoTime();
            HttpAnswer answer = http.upgrade(Operations.PREFIX + "/sandboxes/box/stream", Operations.FRAMES, request);
            if (answer.status() != 101) {
                throw new IOException("no upgrade: " + answer.text());
            }
            String session = UnixHttp.header(answer, Operations.SESSION_HEADER);
            FrameChannel frames = FrameChannels.over(http.upgraded());
            frames.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, session));
            return Flood.rate(read(frames), System.nanoTime() - begin);
        }
    }

    private static long read(FrameChannel frames) throws IOException {
        long bytes = 0;
        for (Optional<Frame> next = frames.read(); next.isPresent(); next = frames.read()) {
            switch (next.get()) {
                case Frame.Data data -> bytes += data.bytes().remaining();
                case Frame.Exit exit -> {
                    return bytes;
                }
                case Frame.Gap gap -> throw new IOException("bytes were lost before " + gap.cursor());
                case Frame.Error error -> throw new IOException(error.code() + ": " + error.message());
                default -> {}
            }
        }
        throw new IOException("the stream ended without the session's end");
    }

    @Override
    public void close() throws Exception {
        daemon.close();
    }
}
