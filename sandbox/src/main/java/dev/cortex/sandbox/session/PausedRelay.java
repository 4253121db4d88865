package dev.cortex.sandbox.session;

import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Between a client and a session of a sandbox that stands still. Who only watches is shown what the host has kept; then
 * both wait for the end of the pause, and go on as if there had been none. A client that leaves ends it.
 */
public final class PausedRelay implements Relay {
    /** How long a client that left goes unnoticed. */
    private static final Duration LOOK = Duration.ofMillis(500);

    private final SessionArchive archive;
    private final Path folder;
    private final SessionStatus session;
    private final Pause pause;

    /** The pause that is waited for. */
    public interface Pause {
        /** Waits for its end, at most {@code most}. */
        boolean over(Duration most) throws InterruptedException;

        /** What connects a client to the session afterwards. */
        Relay afterwards();
    }

    public PausedRelay(SessionArchive archive, Path folder, SessionStatus session, Pause pause) {
        this.archive = archive;
        this.folder = folder;
        this.session = session;
        this.pause = pause;
    }

    @Override
    public void run(FrameChannel client) throws IOException {
        Optional<Frame.Handshake> asked = Handshakes.read(client, Handshakes.WITHIN);
        if (asked.isEmpty()) {
            return;
        }
        Frame.Handshake handshake = asked.get();
        boolean watches = handshake.mode() == Frame.Mode.OBSERVE && hasKept(handshake.cursor());
        if (watches) {
            show(client, handshake.cursor());
        }
        long cursor = watches ? session.newest() : handshake.cursor();
        ReadAhead ahead = ReadAhead.of(client);
        try {
            while (!pause.over(LOOK)) {
                if (ahead.ended()) {
                    return;
                }
            }
            pause.afterwards()
                    .run(ahead.beginningWith(
                            new Frame.Handshake(handshake.kind(), handshake.mode(), cursor, handshake.id()), watches));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ahead.stop();
        }
    }

    /** A client may have seen more than was kept: what came between the copy and the standstill. */
    private boolean hasKept(long cursor) {
        return cursor == Frame.LIVE_ONLY || Long.compareUnsigned(cursor, session.newest()) <= 0;
    }

    private void show(FrameChannel client, long from) throws IOException {
        client.write(new Frame.HandshakeAck(true, session.oldest(), session.newest(), 0));
        if (from != Frame.LIVE_ONLY) {
            ArchivedReplay.replay(archive, folder, session, client, from);
        }
    }
}
