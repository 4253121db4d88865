package dev.cortex.protocol.error;

import java.util.Optional;

/**
 * The one exception that leaves an operation: what happened (the message), why (the cause in words, where it is known)
 * and the one next step (the remedy). Mapped once at each edge: HTTP problem, CLI envelope, exit status.
 */
public final class CortexException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String reason;
    private final String remedy;

    private CortexException(ErrorCode code, String message, String reason, String remedy) {
        super(message);
        this.code = code;
        this.reason = reason;
        this.remedy = remedy;
    }

    public static CortexException of(ErrorCode code, String message, String remedy) {
        return new CortexException(code, message, "", remedy);
    }

    /** The same error with the reason in words, such as what a runtime printed. */
    public CortexException because(String words) {
        CortexException explained = new CortexException(code, getMessage(), words, remedy);
        explained.initCause(this);
        return explained;
    }

    /** The same error with the exception that led to it, whose message becomes the reason. */
    public CortexException because(Throwable thrown) {
        String words = thrown.getMessage() == null ? thrown.getClass().getSimpleName() : thrown.getMessage();
        CortexException explained = new CortexException(code, getMessage(), words, remedy);
        explained.initCause(thrown);
        return explained;
    }

    public ErrorCode code() {
        return code;
    }

    /** Why, in words; absent where the message says it all. */
    public Optional<String> reason() {
        return reason.isEmpty() ? Optional.empty() : Optional.of(reason);
    }

    /** The next step for the person who reads it; absent where there is none. */
    public Optional<String> remedy() {
        return remedy.isEmpty() ? Optional.empty() : Optional.of(remedy);
    }

    @Override
    public String getMessage() {
        String message = super.getMessage();
        return message == null ? code.name() : message;
    }
}
