package dev.cortex.sandbox.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * The guest's end of one connection. One thread reads while another writes; both wait for a guest that is slow. Closing
 * frees them, and cuts the program's connection unless both directions have ended.
 */
public interface GuestTunnel extends AutoCloseable {
    /**
     * What the program says next: a view that is valid until the next read. Empty at the end of its direction.
     *
     * @throws IOException when the program's connection or the stream breaks
     */
    Optional<ByteBuffer> read() throws IOException;

    /** Takes all of the bytes. */
    void write(ByteBuffer bytes) throws IOException;

    /** Says that no more bytes come. */
    void endOutput() throws IOException;

    /** Once both directions have ended: waits until the program was given everything, or for so long. */
    void awaitDelivered(Duration most);

    @Override
    void close();
}
