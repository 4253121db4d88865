package dev.cortex.guest;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import dev.cortex.guest.Standstill.Deadline;
import dev.cortex.guest.pb.Response;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Hello;
import dev.cortex.sandbox.guest.GuestToken;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Unary calls over one control stream at a time, which is dialled when a call needs it and again after it broke. A call
 * is sent at most once: what was sent on a stream that broke ends as GUEST_LOST.
 */
final class Calls {
    private final Dial dial;
    private final Standstill standstill = new Standstill();
    private final ReentrantLock state = new ReentrantLock();
    private GuestToken token;
    private Optional<CompletableFuture<CallStream>> current = Optional.empty();
    private boolean closed;

    Calls(Dial dial, GuestToken token) {
        this.dial = dial;
        this.token = token;
    }

    /**
     * One method of the service.
     *
     * @param most bytes that its response may have
     * @param fields that its response may have, entries of lists included
     */
    record Method<R>(String name, Parser<R> parser, int most, int fields) {}

    <R extends MessageLite> R call(Method<R> method, MessageLite request, Duration deadline) {
        if (request.getSerializedSize() > CallStream.MESSAGE_BYTES - 256) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    method.name() + " takes at most 4 MiB, not " + request.getSerializedSize() + " bytes",
                    "");
        }
        if (Thread.currentThread().isInterrupted()) {
            throw cancelled();
        }
        ByteString payload = request.toByteString();
        Deadline end = standstill.in(deadline.toNanos());
        while (true) {
            CallStream stream = await(stream(), "no stream to the guest", end);
            Optional<CallStream.Pending> sent = send(stream, method, payload, end);
            if (sent.isPresent()) {
                return decode(method, answer(stream, sent.get(), method.name(), end));
            }
        }
    }

    private static Optional<CallStream.Pending> send(
            CallStream stream, Method<?> method, ByteString payload, Deadline end) {
        try {
            return stream.send(method.name(), payload, Math.max(1, end.left()), method.most());
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.CAPACITY, method.name() + " was not sent", "try again in a moment")
                    .because(e);
        }
    }

    private static Response answer(CallStream stream, CallStream.Pending call, String method, Deadline end) {
        boolean answered = false;
        try {
            Response response = await(call.answer(), method + " is unanswered", end);
            answered = true;
            return response;
        } finally {
            if (!answered) {
                stream.abandon(call);
            }
        }
    }

    private <R extends MessageLite> R decode(Method<R> method, Response response) {
        if (response.hasStatus() && response.getStatus().getCode() != 0) {
            throw Refusal.of(method.name(), response.getStatus());
        }
        try {
            FieldCount.check(response.getPayload().newCodedInput(), method.fields());
            return method.parser().parseFrom(response.getPayload());
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Ends the stream of a guest that breaks the protocol; the error to throw. */
    CortexException broken(Throwable reason) {
        replaceStream();
        return CortexException.of(
                        ErrorCode.GUEST_LOST,
                        "the guest does not keep to the protocol",
                        "stop and start the sandbox; whatever runs in it may have taken its neuron over")
                .because(reason);
    }

    /** The next stream, and every one after it, carries this token. The one in use gave it to the neuron, and stays. */
    void use(GuestToken next) {
        state.lock();
        try {
            token = next;
        } finally {
            state.unlock();
        }
    }

    GuestToken token() {
        state.lock();
        try {
            return token;
        } finally {
            state.unlock();
        }
    }

    Standstill standstill() {
        return standstill;
    }

    /** Waits until the stream in use has ended. */
    void awaitEnd() {
        CallStream stream = await(stream(), "no stream to the guest", standstill.in(Neuron.DEADLINE.toNanos()));
        try {
            stream.ended().get();
        } catch (InterruptedException e) {
            throw cancelled();
        } catch (ExecutionException e) {
            throw new IllegalStateException("never completes with an exception", e);
        }
    }

    void close() {
        state.lock();
        try {
            closed = true;
        } finally {
            state.unlock();
        }
        replaceStream();
    }

    private void replaceStream() {
        Optional<CompletableFuture<CallStream>> old;
        state.lock();
        try {
            old = current;
            current = Optional.empty();
        } finally {
            state.unlock();
        }
        old.ifPresent(dialled -> {
            var _ = dialled.thenAccept(CallStream::close);
        });
    }

    /** The stream in use, or one that is being dialled. */
    private CompletableFuture<CallStream> stream() {
        state.lock();
        try {
            if (closed) {
                throw CortexException.of(ErrorCode.GUEST_LOST, "this connection to the guest was closed", "");
            }
            if (current.isPresent() && usable(current.get())) {
                return current.get();
            }
            CompletableFuture<CallStream> dialled = new CompletableFuture<>();
            GuestToken with = token;
            current = Optional.of(dialled);
            // A thread of its own: a caller that is interrupted must not take the dial of the others with it.
            Thread.ofVirtual().name("guest-dial").start(() -> open(dialled, with));
            return dialled;
        } finally {
            state.unlock();
        }
    }

    private void open(CompletableFuture<CallStream> dialled, GuestToken with) {
        try {
            dialled.complete(new CallStream(dial.open(Hello.Purpose.CONTROL, with)));
        } catch (RuntimeException e) {
            dialled.completeExceptionally(e);
        }
    }

    private static boolean usable(CompletableFuture<CallStream> dialled) {
        if (!dialled.isDone()) {
            return true;
        }
        return !dialled.isCompletedExceptionally() && dialled.join().isOpen();
    }

    private static <T> T await(CompletableFuture<T> future, String otherwise, Deadline end) {
        try {
            while (true) {
                try {
                    return future.get(end.left(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    if (end.left() == 0) {
                        throw e;
                    }
                    // The guest stood still meanwhile.
                }
            }
        } catch (InterruptedException e) {
            throw cancelled();
        } catch (TimeoutException e) {
            throw CortexException.of(
                    ErrorCode.DEADLINE,
                    otherwise + " within its deadline; whether it was carried out is not known",
                    "ask again; a call that carries its own id is never carried out twice");
        } catch (ExecutionException e) {
            throw lost(e.getCause() == null ? e : e.getCause());
        }
    }

    private static CortexException lost(Throwable reason) {
        if (reason instanceof CortexException refused) {
            return refused;
        }
        return CortexException.of(
                        ErrorCode.GUEST_LOST,
                        "the stream to the guest broke; whether the call was carried out is not known",
                        "inspect the sandbox; if it still runs, ask again")
                .because(reason);
    }

    private static CortexException cancelled() {
        Thread.currentThread().interrupt();
        return CortexException.of(ErrorCode.CANCELLED, "the call was cancelled", "");
    }
}
