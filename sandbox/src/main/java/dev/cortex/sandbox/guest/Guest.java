package dev.cortex.sandbox.guest;

import dev.cortex.protocol.wire.FrameChannel;
import java.time.Duration;
import java.util.List;

/**
 * The neuron of one sandbox, as the core sees it. Thread-safe. Every call has a deadline and runs at most once; after a
 * lost stream the next call dials anew.
 *
 * <p>All calls throw {@link dev.cortex.protocol.error.CortexException}: the guest's own code and message, GUEST_LOST when the
 * stream broke and the outcome is not known, DEADLINE, GUEST_TOO_OLD.
 */
public interface Guest extends GuestRequests, AutoCloseable {
    GuestInfo info(Duration deadline);

    /** Sets identity and token; later streams of this object carry that token. */
    void initialize(GuestIdentity identity, Duration deadline);

    SessionStatus exec(SessionSpec spec);

    int signal(String session, int signal, boolean all);

    /** Waits up to {@code wait} for the session's end; zero asks at once. */
    SessionStatus status(String session, Duration wait);

    List<SessionStatus> sessions();

    /** The same, for who does not wait for long. */
    List<SessionStatus> sessions(Duration deadline);

    void removeSession(String session);

    GuestFiles files();

    /**
     * A new data stream behind its Hello: the caller sends the Handshake. For relays, which pass a client's own
     * Handshake on.
     */
    FrameChannel data();

    /**
     * A new connection to a TCP port of the sandbox's loopback. The caller sends Data (tag STDIN) and then Eof, and reads
     * Data (tag STDOUT) and Eof; the guest's last frame is Exit once both directions have ended, or Error when the
     * connection broke. Closing the channel before the Exit breaks it off inside.
     *
     * @param port 1 to 65535
     * @throws dev.cortex.protocol.error.CortexException NOT_READY when nothing listens there, DENIED for a port of the
     *     neuron's own, CAPACITY when too many are open
     */
    FrameChannel forward(int port);

    /**
     * Returns when the control stream in use ends (the neuron died, or the stream broke) or this object is closed, and
     * not before; dials one where none is open. What it means is for the caller to find out: a lost stream is not yet a
     * lost sandbox. Costs nothing while it waits.
     *
     * @throws dev.cortex.protocol.error.CortexException GUEST_LOST when no stream can be had
     */
    void awaitLost();

    /** Ends every session and the neuron. Answers before it exits. */
    void shutdown(Duration grace);

    /**
     * The sandbox is about to stand still: until {@link #goesOn} no deadline passes, neither of a call under way nor of
     * one that is made meanwhile.
     */
    void standsStill();

    /** Deadlines run again, each with what it had left. */
    void goesOn();

    /** Closes this object's streams; the sandbox goes on. */
    @Override
    void close();
}
