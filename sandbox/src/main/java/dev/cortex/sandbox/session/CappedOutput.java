package dev.cortex.sandbox.session;

import dev.cortex.protocol.wire.Frame.Tag;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Both streams of a session, each up to {@link #MOST}; the rest is counted, not kept. For one thread. */
final class CappedOutput {
    /** Exec to the end shows so much of each stream (DESIGN section 10). */
    static final int MOST = 1 << 20;

    private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private long cursor;
    private boolean truncated;

    CappedOutput(long from) {
        this.cursor = from;
    }

    void take(Tag tag, ByteBuffer bytes) {
        cursor += bytes.remaining();
        ByteArrayOutputStream stream = tag == Tag.STDERR ? stderr : stdout;
        int room = Math.min(bytes.remaining(), MOST - stream.size());
        truncated |= room < bytes.remaining();
        byte[] kept = new byte[room];
        bytes.get(kept);
        stream.write(kept, 0, room);
    }

    /** Bytes are missing before {@code newCursor}. */
    void gap(long newCursor) {
        truncated |= newCursor != cursor;
        cursor = newCursor;
    }

    /** Behind the last byte that came. */
    long cursor() {
        return cursor;
    }

    byte[] stdout() {
        return stdout.toByteArray();
    }

    byte[] stderr() {
        return stderr.toByteArray();
    }

    boolean truncated() {
        return truncated;
    }
}
