package dev.cortex.daemon.http;

import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operation.Body;
import dev.cortex.protocol.operation.Operation.Method;
import dev.cortex.protocol.operation.Operation.Parameter;
import dev.cortex.protocol.operation.Operation.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A table of a test's own operations. */
final class FakeTable implements OperationTable {
    private final List<Operation<?, ?>> operations = new ArrayList<>();
    private final Map<String, Handler<?, ?>> handlers = new HashMap<>();

    record Greeting(String name, Optional<Integer> times, List<String> words, Map<String, String> more) {}

    record Greeted(String said, Optional<String> idempotencyKey) {}

    <Q, R> FakeTable add(
            String name,
            Method method,
            String path,
            Class<Q> request,
            Class<R> response,
            Body body,
            Handler<Q, R> handler) {
        List<Parameter> parameters = List.of(
                new Parameter("loud", "boolean", false, "in capitals"),
                new Parameter("wait_ms", "integer", false, "wait so long"));
        operations.add(new Operation<>(name, method, path, parameters, request, response, body, Scope.WRITE, name));
        handlers.put(name, handler);
        return this;
    }

    @Override
    public List<Operation<?, ?>> operations() {
        return operations;
    }

    @Override
    @SuppressWarnings("unchecked") // add() ties the types of an operation to its handler's.
    public <Q, R> Handler<Q, R> handler(Operation<Q, R> operation) {
        return (Handler<Q, R>) java.util.Objects.requireNonNull(handlers.get(operation.name()));
    }
}
