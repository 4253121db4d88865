package dev.cortex.testkit.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.guest.GuestEvent;
import dev.cortex.sandbox.guest.GuestEvents;
import dev.cortex.sandbox.guest.GuestRequests;
import dev.cortex.sandbox.guest.GuestTunnel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** The guest of a sandbox, without the sandbox: it asks for connections and talks through those that it gets. Thread-safe. */
public final class AskingGuest implements GuestRequests {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final BlockingQueue<Optional<GuestEvent>> events = new LinkedBlockingQueue<>();
    private final Map<Long, Asked> asked = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();

    /** What becomes of one request. */
    public static final class Asked {
        private final long number;
        private final CompletableFuture<Line> answer = new CompletableFuture<>();

        Asked(long number) {
            this.number = number;
        }

        public long number() {
            return number;
        }

        public boolean answered() {
            return answer.isDone();
        }

        /** The connection; fails when it was refused, or nothing came. */
        public Line line() {
            try {
                return answer.get(SOON.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw new AssertionError("request " + number + " was refused", e.getCause());
            } catch (TimeoutException e) {
                throw new AssertionError("request " + number + " was not answered", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }

        /** The refusal; fails when it was allowed, or nothing came. */
        public CortexException refusal() {
            try {
                answer.get(SOON.toSeconds(), TimeUnit.SECONDS);
                throw new AssertionError("request " + number + " was allowed");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof CortexException refused) {
                    return refused;
                }
                throw new AssertionError(e);
            } catch (TimeoutException e) {
                throw new AssertionError("request " + number + " was not answered", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }

    public Asked ask(String host, int port) {
        Asked request = new Asked(last.incrementAndGet());
        asked.put(request.number, request);
        tell(new GuestEvent.Connect(request.number, host, port, GuestEvent.Via.TUNNEL, "", "s_7f", "pip"));
        return request;
    }

    public void tell(GuestEvent event) {
        events.add(Optional.of(event));
    }

    /** A request that whatever was told before has that number. */
    public Asked expect(long number) {
        return asked.computeIfAbsent(number, Asked::new);
    }

    /** Ends the events: whoever attends returns. */
    public void leave() {
        events.add(Optional.empty());
    }

    @Override
    public GuestEvents events() {
        return new GuestEvents() {
            @Override
            public Optional<GuestEvent> next() {
                try {
                    return events.take();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return Optional.empty();
                }
            }

            @Override
            public void refuse(long number, CortexException why) {
                Optional.ofNullable(asked.get(number)).ifPresent(request -> request.answer.completeExceptionally(why));
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
    }

    @Override
    public GuestTunnel tunnel(long number) {
        Asked request = asked.get(number);
        Line line = new Line();
        if (request == null || !request.answer.complete(line)) {
            throw CortexException.of(ErrorCode.NOT_FOUND, "nobody waits for " + number, "");
        }
        return line.tunnel();
    }

    /** The program's end of a connection. */
    public static final class Line {
        private final BlockingQueue<Optional<byte[]>> up = new LinkedBlockingQueue<>();
        private final BlockingQueue<Optional<byte[]>> down = new LinkedBlockingQueue<>();
        private final CompletableFuture<Boolean> cut = new CompletableFuture<>();

        public void say(String text) {
            up.add(Optional.of(text.getBytes(StandardCharsets.UTF_8)));
        }

        /** No more comes from the program. */
        public void endSaying() {
            up.add(Optional.empty());
        }

        /** Everything that the remote says, up to its end. */
        public String hear() throws InterruptedException {
            StringBuilder heard = new StringBuilder();
            while (true) {
                Optional<byte[]> next = down.poll(SOON.toSeconds(), TimeUnit.SECONDS);
                if (next == null) {
                    throw new AssertionError("the remote did not end; heard so far: " + heard);
                }
                if (next.isEmpty()) {
                    return heard.toString();
                }
                heard.append(new String(next.get(), StandardCharsets.UTF_8));
            }
        }

        /** Whether it is cut by then. */
        public boolean cutWithin(Duration most) throws InterruptedException {
            try {
                return cut.get(most.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException e) {
                throw new AssertionError(e);
            }
        }

        private GuestTunnel tunnel() {
            return new GuestTunnel() {
                private boolean ended;

                @Override
                public Optional<ByteBuffer> read() throws IOException {
                    try {
                        while (true) {
                            Optional<byte[]> next = up.poll(5, TimeUnit.MILLISECONDS);
                            if (next != null) {
                                ended = next.isEmpty();
                                return next.map(ByteBuffer::wrap);
                            }
                            if (cut.isDone()) {
                                throw new IOException("cut");
                            }
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new IOException(e);
                    }
                }

                @Override
                public void write(ByteBuffer bytes) throws IOException {
                    if (cut.isDone()) {
                        throw new IOException("cut");
                    }
                    byte[] copy = new byte[bytes.remaining()];
                    bytes.get(copy);
                    down.add(Optional.of(copy));
                }

                @Override
                public void endOutput() {
                    down.add(Optional.empty());
                }

                @Override
                public void awaitDelivered(Duration most) {
                    if (!ended) {
                        throw new IllegalStateException("the program has not ended");
                    }
                }

                @Override
                public void close() {
                    cut.complete(true);
                }
            };
        }
    }
}
