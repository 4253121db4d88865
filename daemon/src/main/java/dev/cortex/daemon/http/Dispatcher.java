package dev.cortex.daemon.http;

import dev.cortex.daemon.log.RequestLog;
import dev.cortex.daemon.metrics.Metrics;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Takes every request, each on a virtual thread of its own, which its operation may block. */
final class Dispatcher extends Handler.Abstract.NonBlocking {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class.getName());

    private final OperationTable table;
    private final Router router;
    private final Gate gate;
    private final String version;
    private final Json json;
    private final Metrics metrics;
    private final Map<String, Document> documents;

    Dispatcher(OperationTable table, Gate gate, String version, Json json, Metrics metrics) {
        this.table = table;
        this.router = new Router(table.operations());
        this.gate = gate;
        this.version = version;
        this.json = json;
        this.metrics = metrics;
        this.documents = Map.of(
                OpenApiDocument.PATH,
                new OpenApiDocument(table, version, json),
                MetricsDocument.PATH,
                new MetricsDocument(metrics));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        // Not Jetty's to end: an exec may take an hour, and its client says nothing meanwhile.
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        long keepAlive = endPoint.getIdleTimeout();
        endPoint.setIdleTimeout(0);
        Request.addCompletionListener(request, failure -> {
            // An attached session may be silent for days.
            if (!(endPoint.getConnection() instanceof FrameConnection)) {
                endPoint.setIdleTimeout(keepAlive);
            }
        });
        Thread.ofVirtual().name("request").start(() -> serve(request, response, callback));
        return true;
    }

    private void serve(Request request, Response response, Callback callback) {
        long begin = System.nanoTime();
        Trace trace = Trace.of(Optional.ofNullable(request.getHeaders().get("traceparent")));
        String operation = "";
        try {
            response.getHeaders().put(Operations.VERSION_HEADER, version);
            response.getHeaders().put("traceparent", trace.parent());
            admit(request);
            Optional<Document> document =
                    Optional.ofNullable(documents.get(request.getHttpURI().getPath()));
            if (document.isPresent()) {
                operation = document.get().name();
                write(document.get(), request, response);
            } else {
                Router.Found found =
                        router.find(request.getMethod(), request.getHttpURI().getPath());
                operation = found.operation().name();
                answer(found.operation(), found, request, response);
            }
            // Before the last write: a client that has its answer finds the line in the log.
            count(operation, begin, Optional.empty(), request, response);
            RequestLog.write(operation, request.getMethod(), response.getStatus(), begin, trace.id(), Optional.empty());
            callback.succeeded();
        } catch (HttpProblem e) {
            e.headers().forEach((name, value) -> response.getHeaders().put(name, value));
            fail(e.status(), e.error(), response, callback);
            log(operation, request, response, begin, trace, e.error());
        } catch (CortexException e) {
            fail(e.code().httpStatus(), e, response, callback);
            log(operation, request, response, begin, trace, e);
        } catch (IOException e) {
            // The client is gone, or broke its own request off.
            callback.failed(e);
            log(operation, request, response, begin, trace, gone().because(e));
        } catch (RuntimeException | Error e) {
            LOG.log(Level.SEVERE, operation + " failed", e);
            CortexException internal = CortexException.of(
                            ErrorCode.INTERNAL,
                            "the daemon failed at this request",
                            "see daemon.log in the home folder")
                    .because(e);
            fail(ErrorCode.INTERNAL.httpStatus(), internal, response, callback);
            log(operation, request, response, begin, trace, internal);
        }
    }

    private static CortexException gone() {
        return CortexException.of(ErrorCode.CANCELLED, "the client went away", "");
    }

    private void count(
            String operation, long begin, Optional<CortexException> error, Request request, Response response) {
        metrics.requests().add(operation, error.map(CortexException::code), System.nanoTime() - begin);
        metrics.clients().received(Request.getContentBytesRead(request));
        metrics.clients().sent(Response.getContentBytesWritten(response));
    }

    private void log(String operation, Request request, Response response, long begin, Trace trace, CortexException e) {
        count(operation, begin, Optional.of(e), request, response);
        RequestLog.write(operation, request.getMethod(), response.getStatus(), begin, trace.id(), Optional.of(e));
    }

    private void admit(Request request) {
        if (!(request.getConnectionMetaData().getConnector() instanceof UnixConnector)) {
            gate.admit(
                    Optional.ofNullable(request.getHeaders().get(HttpHeader.HOST)),
                    Optional.ofNullable(request.getHeaders().get(HttpHeader.AUTHORIZATION)));
        }
    }

    private <Q, R> void answer(Operation<Q, R> operation, Router.Found found, Request request, Response response)
            throws IOException {
        new Exchange(request, response, found, json, metrics.clients()).answer(operation, table.handler(operation));
    }

    private void write(Document document, Request request, Response response) throws IOException {
        boolean head = request.getMethod().equals("HEAD");
        if (!head && !request.getMethod().equals("GET")) {
            throw HttpProblem.of(
                            405,
                            ErrorCode.INVALID_ARGUMENT,
                            request.getHttpURI().getPath() + " is only read",
                            "it takes: GET, HEAD")
                    .with("Allow", "GET, HEAD");
        }
        Document.Content content =
                document.content(Optional.ofNullable(request.getHeaders().get(HttpHeader.ACCEPT)));
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, content.type());
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, content.bytes().length);
        if (!head) {
            new ResponseChannel(response).write(ByteBuffer.wrap(content.bytes()));
        }
    }

    private void fail(int status, CortexException error, Response response, Callback callback) {
        if (response.isCommitted()) {
            // Too late for words: a connection that breaks off is what tells that the body is not whole.
            callback.failed(error);
            return;
        }
        response.setStatus(status);
        response.getHeaders().remove(HttpHeader.CONTENT_LENGTH);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
        response.write(true, ByteBuffer.wrap(json.write(Problem.of(status, error))), callback);
    }
}
