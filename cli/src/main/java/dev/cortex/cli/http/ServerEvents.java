package dev.cortex.cli.http;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.protocol.error.CortexException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** The data of server-sent events, as the daemon writes them: one line of JSON each. */
public final class ServerEvents implements AutoCloseable {
    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);

    private final Daemon.Download stream;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
    private Optional<ByteBuffer> part = Optional.empty();

    public ServerEvents(Daemon.Download stream) {
        this.stream = stream;
    }

    /**
     * Waits for the next; empty once the daemon has ended the stream.
     *
     * @throws CortexException when the daemon is lost meanwhile
     */
    public Optional<Json> next() {
        while (true) {
            if (part.isEmpty() || !part.get().hasRemaining()) {
                part = stream.next();
                if (part.isEmpty()) {
                    return Optional.empty();
                }
            }
            if (lineEnds(part.get())) {
                byte[] bytes = line.toByteArray();
                line.reset();
                if (isData(bytes)) {
                    return Optional.of(json(Arrays.copyOfRange(bytes, DATA.length, bytes.length)));
                }
            }
        }
    }

    private static Json json(byte[] bytes) {
        try {
            return JsonText.read(bytes);
        } catch (IOException e) {
            throw Daemon.lost(e);
        }
    }

    private boolean lineEnds(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            byte b = bytes.get();
            if (b == '\n') {
                return true;
            }
            line.write(b);
        }
        return false;
    }

    private static boolean isData(byte[] bytes) {
        return Arrays.mismatch(DATA, bytes) == DATA.length;
    }

    @Override
    public void close() {
        stream.close();
    }
}
