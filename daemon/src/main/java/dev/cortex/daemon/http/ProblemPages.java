package dev.cortex.daemon.http;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** What Jetty itself refuses, such as a request that is no HTTP, as the same problems that operations answer with. */
final class ProblemPages extends ErrorHandler {
    private final Json json;

    ProblemPages(Json json) {
        this.json = json;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int status,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
        response.write(true, ByteBuffer.wrap(problem(status, message)), callback);
    }

    @Override
    public ByteBuffer badMessageError(int status, @Nullable String reason, HttpFields.Mutable fields) {
        fields.put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
        return ByteBuffer.wrap(problem(status, reason));
    }

    private byte[] problem(int status, @Nullable String words) {
        String message = words == null || words.isBlank() ? HttpStatus.getMessage(status) : words;
        ErrorCode code =
                status >= HttpStatus.INTERNAL_SERVER_ERROR_500 ? ErrorCode.INTERNAL : ErrorCode.INVALID_ARGUMENT;
        return json.write(Problem.of(status, CortexException.of(code, message, "send HTTP/1.1 as RFC 9112 says")));
    }
}
