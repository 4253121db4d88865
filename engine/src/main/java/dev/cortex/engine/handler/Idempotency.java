package dev.cortex.engine.handler;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Creating calls that may be repeated: the same key with the same request is one call, and its answer is kept for a
 * while. One that failed made nothing, so it may be tried again under its key. What was made under a key by a process
 * that has ended is the store's to know. Thread-safe.
 */
final class Idempotency<Q, R> {
    /** A client that repeats a call does so within minutes. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    private static final int MOST = 10_000;
    private static final int KEY_CHARACTERS = 255;

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Known<Q, R>> calls = new LinkedHashMap<>();

    Idempotency(Clock clock) {
        this.clock = clock;
    }

    R once(Optional<String> key, Q request, Supplier<R> work) {
        if (key.isEmpty()) {
            return work.get();
        }
        if (key.get().isEmpty() || key.get().length() > KEY_CHARACTERS) {
            throw Parameters.wrong("the idempotency key", "1 to " + KEY_CHARACTERS + " characters");
        }
        Known<Q, R> mine = new Known<>(request, clock.instant(), new CompletableFuture<>());
        Optional<Known<Q, R>> earlier = register(key.get(), mine);
        if (earlier.isPresent()) {
            return answer(earlier.get(), request);
        }
        try {
            R answer = work.get();
            mine.answer().complete(answer);
            return answer;
        } catch (RuntimeException | Error e) {
            forget(key.get(), mine);
            mine.answer().completeExceptionally(e);
            throw e;
        }
    }

    private Optional<Known<Q, R>> register(String key, Known<Q, R> mine) {
        lock.lock();
        try {
            Instant tooOld = clock.instant().minus(KEPT);
            calls.values()
                    .removeIf(known -> known.answer().isDone() && known.since().isBefore(tooOld));
            Known<Q, R> present = calls.get(key);
            if (present != null) {
                return Optional.of(present);
            }
            if (calls.size() >= MOST) {
                makeRoom();
            }
            calls.put(key, mine);
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** The oldest answer goes. A call in flight never does: its repetition would be a second call. */
    private void makeRoom() {
        var oldest = calls.entrySet().stream()
                .filter(call -> call.getValue().answer().isDone())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.CAPACITY, MOST + " creating calls are in flight", "try again in a moment"));
        calls.remove(oldest);
    }

    private void forget(String key, Known<Q, R> mine) {
        lock.lock();
        try {
            calls.remove(key, mine);
        } finally {
            lock.unlock();
        }
    }

    private R answer(Known<Q, R> earlier, Q request) {
        if (!earlier.request().equals(request)) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    "the idempotency key was used for another request",
                    "use a new key for a new request");
        }
        try {
            return earlier.answer().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "cancelled while it waited for the first such call", "");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CortexException known) {
                throw known;
            }
            throw new CompletionException(e.getCause());
        }
    }

    private record Known<Q, R>(Q request, Instant since, CompletableFuture<R> answer) {}
}
