package dev.cortex.engine.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.testkit.noop.NoopOperation;
import dev.cortex.testkit.noop.NoopOperation.Answer;
import dev.cortex.testkit.noop.NoopOperation.Request;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holds the checklist "add an operation" to what it says. */
final class NoopOperationTest {
    private final Handlers handlers = new Handlers();

    @BeforeEach
    void register() {
        new NoopHandlers().register(handlers);
    }

    @Test
    void itsHandlerIsFoundByItsDescriptor() {
        assertThat(call(Map.of("upper", ""), Optional.of(new Request(Optional.of("hi")))))
                .isEqualTo(new Answer("api", "HI"));
    }

    @Test
    void badInputIsRefusedWithCodeAndRemedy() {
        CortexException tooLong = catchThrowableOfType(
                CortexException.class, () -> call(Map.of(), Optional.of(new Request(Optional.of("x".repeat(1_001))))));
        assertThat(tooLong.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(tooLong.remedy()).isPresent();
        CortexException noBody = catchThrowableOfType(CortexException.class, () -> call(Map.of(), Optional.empty()));
        assertThat(noBody.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void anOperationWithoutAHandlerIsAMistakeOfOurs() {
        assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> new Handlers().of(NoopOperation.NOOP)))
                .hasMessageContaining("sandbox.noop");
    }

    private Answer call(Map<String, String> query, Optional<Request> body) {
        if (handlers.of(NoopOperation.NOOP) instanceof Handler.Json<Request, Answer> handler) {
            return handler.handle(new Call<>(Map.of("sandbox", "api"), query, body, Optional.empty()));
        }
        throw new AssertionError("not a JSON handler");
    }
}
