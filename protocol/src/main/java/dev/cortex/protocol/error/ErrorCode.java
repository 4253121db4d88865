package dev.cortex.protocol.error;

import java.util.Optional;

/** What can go wrong, with the status each surface gives it. The names are part of the public contract. */
public enum ErrorCode {
    INVALID_ARGUMENT(400, Grpc.INVALID_ARGUMENT, false),
    UNAUTHENTICATED(401, Grpc.UNAUTHENTICATED, false),
    DENIED(403, Grpc.PERMISSION_DENIED, false),
    NOT_FOUND(404, Grpc.NOT_FOUND, false),
    ALREADY_EXISTS(409, Grpc.ALREADY_EXISTS, false),
    ILLEGAL_TRANSITION(409, Grpc.FAILED_PRECONDITION, false),
    NOT_RUNNING(409, Grpc.FAILED_PRECONDITION, false),
    PAUSED(409, Grpc.FAILED_PRECONDITION, false),
    OWNED_ELSEWHERE(409, Grpc.FAILED_PRECONDITION, false),
    BUSY(409, Grpc.ABORTED, true),
    DISK_MISMATCH(409, Grpc.FAILED_PRECONDITION, false),
    SESSION_EVICTED(410, Grpc.OUT_OF_RANGE, false),
    CANCELLED(499, Grpc.CANCELLED, false),
    INTERNAL(500, Grpc.INTERNAL, false),
    UNSUPPORTED(501, Grpc.UNIMPLEMENTED, false),
    DRIVER_FAILED(502, Grpc.INTERNAL, true),
    GUEST_LOST(502, Grpc.UNAVAILABLE, true),
    UNREACHABLE(502, Grpc.UNAVAILABLE, true),
    GUEST_TOO_OLD(502, Grpc.UNIMPLEMENTED, false),
    CAPACITY(503, Grpc.RESOURCE_EXHAUSTED, true),
    NOT_READY(503, Grpc.UNAVAILABLE, false),
    DEADLINE(504, Grpc.DEADLINE_EXCEEDED, true),
    DISK_FULL(507, Grpc.RESOURCE_EXHAUSTED, false),
    OUT_OF_MEMORY(507, Grpc.RESOURCE_EXHAUSTED, false);

    private final int httpStatus;
    private final int grpcCode;
    private final boolean retryable;

    ErrorCode(int httpStatus, int grpcCode, boolean retryable) {
        this.httpStatus = httpStatus;
        this.grpcCode = grpcCode;
        this.retryable = retryable;
    }

    public int httpStatus() {
        return httpStatus;
    }

    /** The code of google.rpc.Code. */
    public int grpcCode() {
        return grpcCode;
    }

    /** Whether the same call, made again a little later, can succeed. */
    public boolean retryable() {
        return retryable;
    }

    /** The code of that name, if this version knows it. */
    public static Optional<ErrorCode> named(String name) {
        for (ErrorCode code : values()) {
            if (code.name().equals(name)) {
                return Optional.of(code);
            }
        }
        return Optional.empty();
    }

    /** The numbers of google.rpc.Code that are in use here. */
    private static final class Grpc {
        static final int CANCELLED = 1;
        static final int INVALID_ARGUMENT = 3;
        static final int DEADLINE_EXCEEDED = 4;
        static final int NOT_FOUND = 5;
        static final int ALREADY_EXISTS = 6;
        static final int PERMISSION_DENIED = 7;
        static final int RESOURCE_EXHAUSTED = 8;
        static final int FAILED_PRECONDITION = 9;
        static final int ABORTED = 10;
        static final int OUT_OF_RANGE = 11;
        static final int UNIMPLEMENTED = 12;
        static final int INTERNAL = 13;
        static final int UNAVAILABLE = 14;
        static final int UNAUTHENTICATED = 16;
    }
}
