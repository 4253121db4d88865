package dev.cortex.engine.operation;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.Map;
import java.util.Optional;

/**
 * One call of an operation, whatever surface it came by.
 *
 * @param path parameters of the path, by name
 * @param query parameters of the query, by name
 * @param body the request record; {@code Optional.empty()} where the operation has none
 * @param idempotencyKey of a creating call, empty without one
 */
public record Call<Q>(
        Map<String, String> path, Map<String, String> query, Optional<Q> body, Optional<String> idempotencyKey) {

    public Call {
        path = Map.copyOf(path);
        query = Map.copyOf(query);
    }

    /** The sandbox that the path names. */
    public String sandbox() {
        return parameter("sandbox");
    }

    /** The session that the path names. */
    public String session() {
        return parameter("session");
    }

    public Q request() {
        return body.orElseThrow(() -> CortexException.of(
                ErrorCode.INVALID_ARGUMENT,
                "the request has no body",
                "send the JSON that the API document describes"));
    }

    private String parameter(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("no {" + name + "} in this operation's path");
        }
        return value;
    }
}
