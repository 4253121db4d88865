package dev.cortex.testkit.noop;

import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operation.Body;
import dev.cortex.protocol.operation.Operation.Method;
import dev.cortex.protocol.operation.Operation.Parameter;
import dev.cortex.protocol.operation.Operation.Scope;
import java.util.List;
import java.util.Optional;

/**
 * The worked example of the checklist "add an operation": its descriptor and records, as they would stand in {@code
 * protocol}. Its handler is beside the engine's tests, where the engine can be seen.
 */
public final class NoopOperation {
    private NoopOperation() {}

    /** @param text what is answered; absent: nothing */
    public record Request(Optional<String> text) {}

    public record Answer(String sandbox, String text) {}

    public static final Operation<Request, Answer> NOOP = new Operation<>(
            "sandbox.noop",
            Method.POST,
            "/sandboxes/{sandbox}/noop",
            List.of(new Parameter("upper", "boolean", false, "answer in upper case")),
            Request.class,
            Answer.class,
            Body.JSON,
            Scope.READ,
            "Answer what was sent");
}
