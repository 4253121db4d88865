package dev.cortex.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** Assertions on the error family. */
final class Failures {
    private Failures() {}

    static CortexException assertFails(ErrorCode code, ThrowingCallable call) {
        return assertIs(code, catchThrowable(call));
    }

    static CortexException assertIs(ErrorCode code, @Nullable Throwable failure) {
        assertThat(failure).isInstanceOf(CortexException.class);
        CortexException exception = (CortexException) java.util.Objects.requireNonNull(failure);
        assertThat(exception.code()).as(exception.toString()).isEqualTo(code);
        return exception;
    }
}
