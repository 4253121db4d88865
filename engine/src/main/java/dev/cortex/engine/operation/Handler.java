package dev.cortex.engine.operation;

import dev.cortex.protocol.wire.FrameChannel;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Map;

/**
 * Carries out one operation; which of the kinds it is follows from the operation's body. Handlers block, are
 * thread-safe, and throw {@link dev.cortex.protocol.error.CortexException}. Interrupting the thread that runs one
 * cancels it (its client went away): a create leaves nothing behind then, and the answer is CANCELLED.
 */
public sealed interface Handler<Q, R> {
    non-sealed interface Json<Q, R> extends Handler<Q, R> {
        R handle(Call<Q> call);
    }

    non-sealed interface Upload<R> extends Handler<Void, R> {
        R handle(Call<Void> call, ReadableByteChannel from);
    }

    non-sealed interface Download extends Handler<Void, Void> {
        /** Asks {@code answer} for the channel once it is sure that there will be bytes: before that an error can be told. */
        void handle(Call<Void> call, Answer answer) throws IOException;
    }

    non-sealed interface Frames<Q> extends Handler<Q, Void> {
        /**
         * Does what must be done before the upgrade; the relay then runs on the caller's thread until either side ends.
         * At a session the client's first frame is Handshake, whose id is ignored: the operation knows the session.
         */
        Relay handle(Call<Q> call);
    }

    non-sealed interface Events<R> extends Handler<Void, R> {
        /** Sends events to {@code to} until the returned handle is closed. */
        AutoCloseable handle(Call<Void> call, Sink<R> to);
    }

    /** Where events go. */
    interface Sink<R> {
        /** Hands an event on without blocking; a client that is too far behind is cut off. */
        void offer(R event);

        /** Hands an event on, and waits while its client is behind. */
        void put(R event) throws InterruptedException;

        /** Ends the client's stream behind what it was given. */
        void end() throws InterruptedException;
    }

    /** Where a download goes. */
    interface Answer {
        /** @param headers such as Content-Length; called at most once */
        WritableByteChannel begin(Map<String, String> headers) throws IOException;
    }

    /** A connection that was upgraded. */
    interface Relay {
        /** Headers of the 101 answer, such as Cortex-Session. */
        Map<String, String> headers();

        /** Relays until the session or either side ends; closes the guest's side, not the client's. */
        void run(FrameChannel client) throws IOException;
    }
}
