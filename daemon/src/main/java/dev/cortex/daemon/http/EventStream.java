package dev.cortex.daemon.http;

import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Daemon;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Server-sent events to one client: what senders offer is written by the request's own thread. */
final class EventStream<R> implements Handler.Sink<R> {
    /** Proxies and clients give a silent connection up after half a minute or more. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    /** A client that is further behind than this is cut off; it can come again. */
    private static final int BACKLOG = 4_096;

    private static final byte[] SILENCE = ":\n\n".getBytes(StandardCharsets.UTF_8);

    private static final Object END = new Object();

    private final Json json;
    private final BlockingQueue<Object> queue = new ArrayBlockingQueue<>(BACKLOG);
    private volatile boolean overrun;

    EventStream(Json json) {
        this.json = json;
    }

    @Override
    public void offer(R event) {
        if (!queue.offer(event)) {
            overrun = true;
        }
    }

    @Override
    public void put(R event) throws InterruptedException {
        queue.put(event);
    }

    @Override
    public void end() throws InterruptedException {
        queue.put(END);
    }

    /** Writes until the end, or until the client is gone or too slow. */
    void writeTo(ResponseChannel out) throws IOException, InterruptedException {
        out.write(ByteBuffer.wrap(SILENCE));
        while (!overrun) {
            Object event = queue.poll(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
            if (event == END) {
                return;
            }
            out.write(ByteBuffer.wrap(event == null ? SILENCE : lines(event)));
        }
    }

    private byte[] lines(Object event) {
        String data = new String(json.write(event), StandardCharsets.UTF_8);
        String head = event instanceof Daemon.Event known
                ? "id: " + known.sequence() + "\nevent: " + known.kind() + "\n"
                : "";
        return (head + "data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
