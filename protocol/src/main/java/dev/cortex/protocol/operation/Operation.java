package dev.cortex.protocol.operation;

import java.util.List;

/**
 * One thing that the service can do.
 *
 * @param name dotted, such as {@code sandbox.create}; unique
 * @param path beneath {@code /api/v1}, parameters in braces
 * @param parameters query parameters that it takes
 * @param request the record in the request's body, {@code Void} for none
 * @param response the record in the answer's body, {@code Void} for none
 * @param body how the bytes travel
 * @param summary one line for people, shown in the OpenAPI document
 */
public record Operation<Q, R>(
        String name,
        Method method,
        String path,
        List<Parameter> parameters,
        Class<Q> request,
        Class<R> response,
        Body body,
        Scope scope,
        String summary) {

    public enum Method {
        GET,
        POST,
        PUT,
        DELETE
    }

    /** What a token must be allowed to do. */
    public enum Scope {
        READ,
        WRITE
    }

    /** JSON both ways, or a stream in one direction or both. */
    public enum Body {
        JSON,
        /** The request's body is bytes. */
        UPLOAD,
        /** The answer's body is bytes. */
        DOWNLOAD,
        /** The answer is a stream of server-sent events. */
        EVENTS,
        /** The connection is upgraded to raw frames ({@code Upgrade: cortex-frames}). */
        FRAMES
    }

    /** A query parameter; its type is a JSON schema type. */
    public record Parameter(String name, String type, boolean required, String summary) {}
}
