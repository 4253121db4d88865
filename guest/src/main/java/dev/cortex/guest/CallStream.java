package dev.cortex.guest;

import com.google.protobuf.ByteString;
import dev.cortex.guest.pb.Request;
import dev.cortex.guest.pb.Response;
import dev.cortex.sandbox.driver.GuestStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One control stream: ttrpc frames, with a virtual thread that writes and one that reads. Callers never touch the
 * stream, because an interrupt of a thread that does would close it for everybody.
 *
 * <p>A response is matched by its stream id. One that nobody asked for, of another type, or longer than its call
 * allows ends the stream: such a guest is broken or hostile, and reading on would be at its mercy.
 */
final class CallStream {
    private static final String SERVICE = "cortex.guest.v1.Guest";

    private static final int HEADER_BYTES = 10;
    private static final byte REQUEST = 1;
    private static final byte RESPONSE = 2;

    /** What ttrpc allows for one message. */
    static final int MESSAGE_BYTES = 4 << 20;

    /** Calls under way at once on one stream; a session's status call may wait for a minute. */
    private static final int CALLS_MOST = 16_384;

    /** Answers still owed to callers that gave up. A guest that owes more does not work any more. */
    private static final int ABANDONED_MOST = 1_024;

    /** A response has two fields; some room for those of later versions. */
    private static final int RESPONSE_FIELDS_MOST = 16;

    /** A response's body grows in memory only as its bytes arrive. */
    private static final int FIRST_BODY_BYTES = 16 << 10;

    private final GuestStream stream;
    private final CompletableFuture<IOException> ended = new CompletableFuture<>();
    private final ByteBuffer in = ByteBuffer.allocateDirect(8 << 10).limit(0);

    /** Guards everything below. Ids rise in the order of the queue, as ttrpc demands. */
    private final ReentrantLock state = new ReentrantLock();

    private final Condition queued = state.newCondition();
    private final ArrayDeque<Outgoing> queue = new ArrayDeque<>();
    private final Map<Integer, Pending> pending = new HashMap<>();
    private final Set<Integer> abandoned = new HashSet<>();
    private int nextId = 1;
    private boolean open = true;

    CallStream(GuestStream stream) {
        this.stream = stream;
        Thread.ofVirtual().name("guest-calls-write").start(() -> untilBroken(this::writeAll));
        Thread.ofVirtual().name("guest-calls-read").start(() -> untilBroken(this::readAll));
    }

    /**
     * A call under way.
     *
     * @param most bytes that its response may have
     */
    record Pending(int id, int most, CompletableFuture<Response> answer) {}

    private record Outgoing(int id, byte[] frame) {}

    /** Completes with the reason when the stream has ended. */
    CompletableFuture<IOException> ended() {
        return ended;
    }

    /** Whether it takes calls. */
    boolean isOpen() {
        state.lock();
        try {
            return open;
        } finally {
            state.unlock();
        }
    }

    /**
     * Sends a request; empty when the stream has ended before anything of it was sent, so that it may be sent on
     * another.
     *
     * @throws IOException when too many calls are under way
     */
    Optional<Pending> send(String method, ByteString payload, long timeoutNanos, int most) throws IOException {
        Request request = Request.newBuilder()
                .setService(SERVICE)
                .setMethod(method)
                .setPayload(payload)
                .setTimeoutNano(timeoutNanos)
                .build();
        byte[] body = request.toByteArray();
        state.lock();
        try {
            if (!open) {
                return Optional.empty();
            }
            if (pending.size() >= CALLS_MOST) {
                throw new IOException(CALLS_MOST + " calls of this sandbox are under way");
            }
            int id = nextId;
            nextId += 2;
            Pending call = new Pending(id, most, new CompletableFuture<>());
            pending.put(id, call);
            queue.add(new Outgoing(id, frame(id, body)));
            queued.signal();
            // Ids are 32 bits: long before they run out the stream is replaced.
            if (nextId > Integer.MAX_VALUE - 2) {
                open = false;
            }
            return Optional.of(call);
        } finally {
            state.unlock();
        }
    }

    /** Gives a call up. If it was not sent yet, it never will be. */
    void abandon(Pending call) {
        boolean tooMany;
        state.lock();
        try {
            if (pending.remove(call.id()) == null) {
                return;
            }
            boolean unsent = queue.removeIf(waiting -> waiting.id() == call.id());
            if (!unsent) {
                abandoned.add(call.id());
            }
            tooMany = abandoned.size() > ABANDONED_MOST;
        } finally {
            state.unlock();
        }
        if (tooMany) {
            end(new IOException("the guest owes more than " + ABANDONED_MOST + " answers"));
        }
    }

    void close() {
        end(new IOException("the host closed the stream"));
    }

    private interface Loop {
        void run() throws IOException;
    }

    private void untilBroken(Loop loop) {
        try {
            loop.run();
        } catch (IOException | RuntimeException e) {
            end(e instanceof IOException broken ? broken : new IOException(e));
        }
    }

    private void end(IOException reason) {
        List<Pending> lost;
        state.lock();
        try {
            open = false;
            lost = new ArrayList<>(pending.values());
            pending.clear();
            queue.clear();
            queued.signal();
        } finally {
            state.unlock();
        }
        ended.complete(reason);
        Watchdog.close(stream);
        lost.forEach(call -> call.answer().completeExceptionally(reason));
    }

    private static byte[] frame(int id, byte[] body) {
        return ByteBuffer.allocate(HEADER_BYTES + body.length)
                .putInt(body.length)
                .putInt(id)
                .put(REQUEST)
                .put((byte) 0)
                .put(body)
                .array();
    }

    private void writeAll() throws IOException {
        while (true) {
            ByteBuffer next = ByteBuffer.wrap(take());
            if (!next.hasRemaining()) {
                return;
            }
            while (next.hasRemaining()) {
                stream.write(next);
            }
        }
    }

    /** The next frame to write; empty once the stream has ended. */
    private byte[] take() {
        state.lock();
        try {
            while (queue.isEmpty()) {
                if (ended.isDone() || (!open && pending.isEmpty())) {
                    return new byte[0];
                }
                queued.awaitUninterruptibly();
            }
            return queue.remove().frame();
        } finally {
            state.unlock();
        }
    }

    private void readAll() throws IOException {
        while (true) {
            need(HEADER_BYTES);
            int length = in.getInt();
            int id = in.getInt();
            byte type = in.get();
            in.get();
            if (type != RESPONSE) {
                throw new IOException("the guest sent a message of type " + (type & 0xff));
            }
            if (length < 0 || length > MESSAGE_BYTES) {
                throw new IOException("the guest sent a message of " + Integer.toUnsignedString(length) + " bytes");
            }
            Optional<Pending> call = answered(id);
            if (call.isEmpty()) {
                skip(length);
            } else {
                receive(call.get(), length);
            }
            if (spent()) {
                throw new IOException("the stream has used its ids up");
            }
        }
    }

    private boolean spent() {
        state.lock();
        try {
            return !open && pending.isEmpty();
        } finally {
            state.unlock();
        }
    }

    /** The call that this response belongs to; empty when its caller gave up. */
    private Optional<Pending> answered(int id) throws IOException {
        state.lock();
        try {
            Pending call = pending.remove(id);
            if (call == null && !abandoned.remove(id)) {
                throw new IOException(
                        "the guest answered a call that nobody made (" + Integer.toUnsignedString(id) + ")");
            }
            return Optional.ofNullable(call);
        } finally {
            state.unlock();
        }
    }

    private void receive(Pending call, int length) throws IOException {
        try {
            if (length > call.most()) {
                throw new IOException(
                        "the guest answered with " + length + " bytes where " + call.most() + " are allowed");
            }
            byte[] body = read(length);
            FieldCount.check(body, RESPONSE_FIELDS_MOST);
            call.answer().complete(Response.parseFrom(body));
        } catch (IOException e) {
            // In this order: whoever hears of it and calls again must not be given this stream.
            end(e);
            call.answer().completeExceptionally(e);
            throw e;
        }
    }

    private byte[] read(int length) throws IOException {
        byte[] body = new byte[Math.min(length, FIRST_BODY_BYTES)];
        int filled = 0;
        while (filled < length) {
            if (filled == body.length) {
                body = Arrays.copyOf(body, (int) Math.min(length, 2L * body.length));
            }
            need(1);
            int count = Math.min(in.remaining(), body.length - filled);
            in.get(body, filled, count);
            filled += count;
        }
        return body;
    }

    private void skip(int length) throws IOException {
        int left = length;
        while (left > 0) {
            need(1);
            int count = Math.min(in.remaining(), left);
            in.position(in.position() + count);
            left -= count;
        }
    }

    private void need(int bytes) throws IOException {
        while (in.remaining() < bytes) {
            in.compact();
            int read = stream.read(in);
            in.flip();
            if (read < 0) {
                throw new IOException("the guest ended the stream");
            }
        }
    }
}
