package dev.cortex.daemon.http;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.Map;

/** A refusal that HTTP has a status of its own for; its code is still one of the family. */
final class HttpProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final transient CortexException error;
    private final transient Map<String, String> headers;

    private HttpProblem(int status, CortexException error, Map<String, String> headers) {
        super(error);
        this.status = status;
        this.error = error;
        this.headers = headers;
    }

    static HttpProblem of(int status, ErrorCode code, String message, String remedy) {
        return new HttpProblem(status, CortexException.of(code, message, remedy), Map.of());
    }

    HttpProblem with(String header, String value) {
        return new HttpProblem(status, error, Map.of(header, value));
    }

    int status() {
        return status;
    }

    CortexException error() {
        return error;
    }

    Map<String, String> headers() {
        return headers;
    }
}
