package dev.cortex.daemon.http;

import dev.cortex.daemon.metrics.ClientTraffic;
import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** One request to an operation, answered on the thread that it blocks. */
final class Exchange {
    /** argv and environment take 2 MiB, stdin 1 MiB, each a third more in base64, and then there is room. */
    private static final int JSON_MOST = 8 << 20;

    private static final String JSON_TYPE = "application/json";
    private static final String BYTES_TYPE = "application/octet-stream";
    private static final String TAR_TYPE = "application/x-tar";
    private static final String EVENTS_TYPE = "text/event-stream";

    private final Request request;
    private final Response response;
    private final Router.Found found;
    private final Json json;
    private final ClientTraffic clients;

    Exchange(Request request, Response response, Router.Found found, Json json, ClientTraffic clients) {
        this.request = request;
        this.response = response;
        this.found = found;
        this.json = json;
        this.clients = clients;
    }

    /** Answers, but for the last write, which the caller's callback does. */
    <Q, R> void answer(Operation<Q, R> operation, Handler<Q, R> handler) throws IOException {
        Map<String, String> query =
                Query.parse(operation, Optional.ofNullable(request.getHttpURI().getQuery()));
        switch (handler) {
            case Handler.Json<Q, R> calls -> {
                accept(JSON_TYPE);
                Call<Q> call = call(operation, query);
                Watched<R> watched = watched(() -> calls.handle(call));
                writeJson(watched.result());
            }
            case Handler.Upload<?> uploads -> {
                accept(JSON_TYPE);
                try (RequestChannel body = new RequestChannel(request)) {
                    writeJson(uploads.handle(bare(query), body));
                }
            }
            case Handler.Download downloads -> download(operation, downloads, bare(query));
            case Handler.Frames<?> frames -> upgrade(operation, framesOf(operation, frames), query);
            case Handler.Events<?> events -> events(events, bare(query));
        }
    }

    // The handler is the operation's: a Handler<Q, R> of that kind is a Frames<Q>. The operation is here to say what Q
    // is.
    @SuppressWarnings({"unchecked", "UnusedVariable"})
    private static <Q> Handler.Frames<Q> framesOf(Operation<Q, ?> operation, Handler.Frames<?> frames) {
        return (Handler.Frames<Q>) frames;
    }

    private void accept(String type) {
        Accepted.require(header(HttpHeader.ACCEPT), type);
    }

    private <Q, R> Call<Q> call(Operation<Q, R> operation, Map<String, String> query) throws IOException {
        return new Call<>(
                found.path(),
                query,
                body(operation),
                Optional.ofNullable(request.getHeaders().get("Idempotency-Key")));
    }

    private Call<Void> bare(Map<String, String> query) {
        return new Call<>(found.path(), query, Optional.empty(), Optional.empty());
    }

    private <Q> Optional<Q> body(Operation<Q, ?> operation) throws IOException {
        try (RequestChannel channel = new RequestChannel(request)) {
            byte[] body = channel.readAll(JSON_MOST);
            if (operation.request() == Void.class) {
                return Optional.empty();
            }
            if (body.length > 0) {
                requireJson();
            }
            return Optional.of(json.read(body, operation.request()));
        }
    }

    private void requireJson() {
        String type = header(HttpHeader.CONTENT_TYPE).orElse(JSON_TYPE).toLowerCase(Locale.ROOT);
        int end = type.indexOf(';');
        String bare = (end < 0 ? type : type.substring(0, end)).strip();
        // curl says this of every -d unless it is told otherwise.
        if (!bare.equals(JSON_TYPE) && !bare.equals("application/x-www-form-urlencoded")) {
            throw HttpProblem.of(
                    415, ErrorCode.INVALID_ARGUMENT, "the body is " + bare + ", not JSON", "send " + JSON_TYPE);
        }
    }

    private interface Work<R> {
        R run();
    }

    /** @param early see {@link DisconnectWatch#stop} */
    private record Watched<R>(R result, Optional<Byte> early) {}

    /** Runs a handler that is interrupted when its client goes away. */
    private <R> Watched<R> watched(Work<R> work) {
        DisconnectWatch watch = DisconnectWatch.start(socket());
        try {
            R result = work.run();
            return new Watched<>(result, watch.stop());
        } finally {
            if (watch.stop().isPresent()) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
            // The interrupt was for the handler; what remains is to answer, or to find that nobody is there.
            Thread.interrupted();
        }
    }

    private SocketChannel socket() {
        return endPoint().getChannel();
    }

    private RawEndPoint endPoint() {
        return (RawEndPoint) request.getConnectionMetaData().getConnection().getEndPoint();
    }

    private void writeJson(Object value) throws IOException {
        byte[] bytes = json.write(value);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON_TYPE);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        if (!found.head()) {
            new ResponseChannel(response).write(ByteBuffer.wrap(bytes));
        }
    }

    private void download(Operation<?, ?> operation, Handler.Download downloads, Call<Void> call) throws IOException {
        String type = operation.path().endsWith("/archive") ? TAR_TYPE : BYTES_TYPE;
        accept(type);
        boolean[] begun = new boolean[1];
        try {
            downloads.handle(call, headers -> {
                response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
                headers.forEach((name, value) -> response.getHeaders().put(name, value));
                begun[0] = true;
                return found.head() ? new Headers() : new ResponseChannel(response);
            });
        } catch (IOException | CortexException e) {
            // HEAD has what it wants once the headers are known.
            if (!found.head() || !begun[0]) {
                throw e;
            }
        }
    }

    /** Ends a download whose bytes nobody wants. */
    private static final class Headers implements WritableByteChannel {
        @Override
        public int write(ByteBuffer from) throws IOException {
            throw new IOException("only the headers were asked for");
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    private <R> void events(Handler.Events<R> events, Call<Void> call) throws IOException {
        accept(EVENTS_TYPE);
        EventStream<R> stream = new EventStream<>(json);
        try (AutoCloseable subscription = events.handle(call, stream)) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, EVENTS_TYPE);
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
            stream.writeTo(new ResponseChannel(response));
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("the events' subscription", e);
        }
    }

    private <Q, R> void upgrade(Operation<Q, R> operation, Handler.Frames<Q> frames, Map<String, String> query)
            throws IOException {
        boolean asked = header(HttpHeader.UPGRADE).orElse("").equalsIgnoreCase(Operations.FRAMES)
                && header(HttpHeader.CONNECTION)
                        .orElse("")
                        .toLowerCase(Locale.ROOT)
                        .contains("upgrade");
        if (!asked) {
            throw HttpProblem.of(
                            426,
                            ErrorCode.INVALID_ARGUMENT,
                            operation.name() + " answers by an upgrade to raw frames",
                            "send 'Connection: Upgrade' and 'Upgrade: " + Operations.FRAMES + "'")
                    .with("Upgrade", Operations.FRAMES);
        }
        Call<Q> call = call(operation, query);
        Watched<Handler.Relay> watched = watched(() -> frames.handle(call));
        Handler.Relay relay = watched.result();
        FrameConnection connection = new FrameConnection(
                endPoint(),
                request.getConnectionMetaData().getConnector().getExecutor(),
                relay,
                watched.early(),
                clients);
        Request.addCompletionListener(request, failure -> {
            if (failure != null) {
                connection.abandonUnlessBegun();
            }
        });
        relay.headers().forEach((name, value) -> response.getHeaders().put(name, value));
        response.getHeaders().put(HttpHeader.CONNECTION, "Upgrade");
        response.getHeaders().put(HttpHeader.UPGRADE, Operations.FRAMES);
        response.setStatus(101);
        request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, connection);
    }

    private Optional<String> header(HttpHeader name) {
        return Optional.ofNullable(request.getHeaders().get(name));
    }
}
