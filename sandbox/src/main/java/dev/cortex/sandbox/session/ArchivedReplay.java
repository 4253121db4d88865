package dev.cortex.sandbox.session;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/** Shows a client what the host has kept of a session, as its neuron would have: the bytes, then the end. */
public final class ArchivedReplay implements Relay {
    private final SessionArchive archive;
    private final Path folder;
    private final SessionStatus session;
    private final Runnable exitDelivered;

    public ArchivedReplay(SessionArchive archive, Path folder, SessionStatus session, Runnable exitDelivered) {
        this.archive = archive;
        this.folder = folder;
        this.session = session;
        this.exitDelivered = exitDelivered;
    }

    @Override
    public void run(FrameChannel client) throws IOException {
        Optional<Frame.Handshake> asked = Handshakes.read(client, Handshakes.WITHIN);
        if (asked.isEmpty()) {
            return;
        }
        long from = asked.get().cursor();
        if (from != Frame.LIVE_ONLY && Long.compareUnsigned(from, session.newest()) > 0) {
            Handshakes.tell(
                    client, ErrorCode.INVALID_ARGUMENT, "the cursor is ahead of the newest byte, " + session.newest());
            return;
        }
        client.write(new Frame.HandshakeAck(false, session.oldest(), session.newest(), 0));
        if (from != Frame.LIVE_ONLY) {
            replay(archive, folder, session, client, from);
        }
        client.write(new Frame.Exit(
                session.cause().orElse(SessionStatus.Cause.UNKNOWN).wire(), session.code()));
        if (asked.get().mode() != Frame.Mode.OBSERVE) {
            exitDelivered.run();
        }
    }

    /** Writes what is kept from a cursor on, and a Gap before it where that begins later. */
    static void replay(SessionArchive archive, Path folder, SessionStatus session, FrameChannel client, long from)
            throws IOException {
        long begin = from;
        if (Long.compareUnsigned(from, session.oldest()) < 0) {
            begin = session.oldest();
            client.write(new Frame.Gap(begin));
        }
        long[] skip = {begin - session.oldest()};
        archive.read(folder, session.id(), (tag, bytes) -> {
            int passed = (int) Math.min(skip[0], bytes.remaining());
            skip[0] -= passed;
            bytes.position(bytes.position() + passed);
            while (bytes.hasRemaining()) {
                ByteBuffer piece = bytes.slice(bytes.position(), Math.min(bytes.remaining(), Frame.DATA_BYTES));
                bytes.position(bytes.position() + piece.remaining());
                client.write(new Frame.Data(tag, piece));
            }
            return true;
        });
    }
}
