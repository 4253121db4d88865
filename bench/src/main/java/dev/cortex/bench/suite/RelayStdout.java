package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.Grounds;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The same output through the C relay. */
final class RelayStdout implements Contender {
    private final Process relay;
    private final Path socket;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256 << 10);

    private RelayStdout(Process relay, Path socket) {
        this.relay = relay;
        this.socket = socket;
    }

    static RelayStdout open(Grounds grounds) throws IOException {
        Path socket = grounds.folder().resolve("relay.sock");
        List<String> words = new ArrayList<>(
                List.of("setsid", grounds.checkout().bench("relay").toString(), socket.toString()));
        words.addAll(List.of(Flood.ARGV));
        Process relay = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        RelayStdout opened = new RelayStdout(relay, socket);
        grounds.releases().add(opened);
        if (!"ready".equals(relay.inputReader().readLine())) {
            throw new IOException("the relay did not start");
        }
        return opened;
    }

    @Override
    public String name() {
        return "C relay";
    }

    @Override
    public double once() throws Exception {
        long bytes = 0;
        long begin = System.nanoTime();
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            for (int n = channel.read(buffer.clear()); n >= 0; n = channel.read(buffer.clear())) {
                bytes += n;
            }
        }
        return Flood.rate(bytes, System.nanoTime() - begin);
    }

    @Override
    public void close() {
        relay.destroy();
    }
}
