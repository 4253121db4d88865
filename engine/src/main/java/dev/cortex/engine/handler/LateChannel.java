package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Handler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.Optional;

/** A channel to an answer that begins once it is certain that there will be one. For one thread. */
final class LateChannel implements WritableByteChannel {
    private final Handler.Answer answer;
    private Optional<WritableByteChannel> begun = Optional.empty();

    LateChannel(Handler.Answer answer) {
        this.answer = answer;
    }

    /** @throws UncheckedIOException when the client is gone */
    void begin(Map<String, String> headers) {
        try {
            begun = Optional.of(answer.begin(headers));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return begun.orElseThrow(() -> new IOException("bytes before the answer has begun"))
                .write(bytes);
    }

    @Override
    public boolean isOpen() {
        return begun.map(WritableByteChannel::isOpen).orElse(true);
    }

    @Override
    public void close() throws IOException {
        if (begun.isPresent()) {
            begun.get().close();
        }
    }
}
