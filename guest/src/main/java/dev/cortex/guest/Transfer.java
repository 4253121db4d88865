package dev.cortex.guest;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.SessionStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The bytes of one transfer over its own data stream, which is closed at the end. Memory is one buffer, whatever the
 * length.
 */
final class Transfer {
    private final FrameChannel channel;
    private final String id;

    Transfer(FrameChannel channel, String id) {
        this.channel = channel;
        this.id = id;
    }

    /** Sends everything that {@code from} has, and returns once the guest says that it is in place. */
    void push(ReadableByteChannel from) {
        CompletableFuture<Optional<CortexException>> verdict = new CompletableFuture<>();
        try {
            handshake();
            // Read beside the writing: a guest that refuses half-way stops taking bytes.
            Thread.ofVirtual().name("guest-transfer").start(() -> verdict.complete(awaitVerdict()));
            send(from, verdict);
            Optional<CortexException> refusal = verdict.get();
            if (refusal.isPresent()) {
                throw refusal.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "the transfer was cancelled", "");
        } catch (ExecutionException e) {
            throw new IllegalStateException("never completes with an exception", e);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            Watchdog.close(channel);
        }
    }

    private void send(ReadableByteChannel from, CompletableFuture<Optional<CortexException>> verdict) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Frame.DATA_BYTES);
        Frame.Data data = new Frame.Data(Frame.Tag.STDIN, buffer);
        try {
            while (fill(from, buffer)) {
                channel.write(data);
            }
            channel.write(new Frame.Eof());
        } catch (ClosedByInterruptException e) {
            throw lost(e);
        } catch (IOException e) {
            // The guest's own words say more than a broken pipe.
            CortexException lost = lost(e);
            throw verdict.thenApply(refusal -> refusal.orElse(lost)).join();
        }
    }

    /** Fills the buffer as far as one frame goes; false at the end. */
    private static boolean fill(ReadableByteChannel from, ByteBuffer buffer) {
        buffer.clear();
        try {
            while (buffer.hasRemaining() && from.read(buffer) >= 0) {}
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.CANCELLED, "the sender of the bytes went away", "send it again")
                    .because(e);
        }
        return buffer.flip().hasRemaining();
    }

    private Optional<CortexException> awaitVerdict() {
        try {
            Frame frame = next();
            if (frame instanceof Frame.HandshakeAck) {
                frame = next();
            }
            if (!(frame instanceof Frame.Exit exit)) {
                throw misplaced();
            }
            refuseUnlessDone(exit);
            return Optional.empty();
        } catch (CortexException refusal) {
            return Optional.of(refusal);
        } catch (IOException e) {
            return Optional.of(lost(e));
        } finally {
            // Frees a writer whose bytes nobody takes any more.
            Watchdog.close(channel);
        }
    }

    /**
     * Hands on everything that the guest sends.
     *
     * @param begin run once bytes, or their end, have come: before that a refusal can still be told as one
     * @param most bytes that may come
     */
    void pull(Runnable begin, WritableByteChannel to, long most) {
        try {
            handshake();
            Frame frame = next();
            if (frame instanceof Frame.HandshakeAck) {
                frame = next();
            }
            begin.run();
            for (long left = most; frame instanceof Frame.Data data && data.tag() == Frame.Tag.STDOUT; frame = next()) {
                left -= data.bytes().remaining();
                if (left < 0) {
                    throw new IOException("the guest sent more than " + most + " bytes");
                }
                handOn(data.bytes(), to);
            }
            if (!(frame instanceof Frame.Eof) || !(next() instanceof Frame.Exit exit)) {
                throw misplaced();
            }
            refuseUnlessDone(exit);
        } catch (IOException e) {
            throw lost(e);
        } finally {
            Watchdog.close(channel);
        }
    }

    /** The next frame, unless it is the guest's error. */
    private Frame next() throws IOException {
        Frame frame = channel.read().orElseThrow(Transfer::cutOff);
        if (frame instanceof Frame.Error error) {
            throw Refusal.of(error);
        }
        return frame;
    }

    private static void handOn(ByteBuffer bytes, WritableByteChannel to) {
        try {
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.CANCELLED, "the receiver of the bytes went away", "ask for it again")
                    .because(e);
        }
    }

    private void handshake() throws IOException {
        channel.write(new Frame.Handshake(Frame.Kind.TRANSFER, Frame.Mode.OBSERVE, 0, id));
    }

    private static void refuseUnlessDone(Frame.Exit exit) {
        if (exit.cause() != SessionStatus.Cause.EXITED.wire() || exit.code() != 0) {
            throw CortexException.of(
                    ErrorCode.INTERNAL, "the transfer ended with cause " + exit.cause() + ", code " + exit.code(), "");
        }
    }

    private static IOException misplaced() {
        return new IOException("the guest sent a frame that has no place in a transfer");
    }

    private static IOException cutOff() {
        return new IOException("the guest ended the stream before it said that all is done");
    }

    private static CortexException lost(IOException reason) {
        if (reason instanceof ClosedByInterruptException) {
            return CortexException.of(ErrorCode.CANCELLED, "the transfer was cancelled", "");
        }
        CortexException lost = CortexException.of(
                ErrorCode.GUEST_LOST,
                "the transfer broke off",
                "do it again: a file that was being replaced is as it was before");
        // Our own end was closed: that happens with all streams of a guest once its sandbox is to have none.
        return reason instanceof ClosedChannelException
                ? lost.because("the sandbox was stopped, paused or removed meanwhile, by a command or at the end of its"
                        + " time")
                : lost.because(reason);
    }
}
