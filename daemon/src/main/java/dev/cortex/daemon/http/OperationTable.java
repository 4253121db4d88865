package dev.cortex.daemon.http;

import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.operation.Operation;
import java.util.List;

/** The operations that a surface offers, and what carries each out. */
public interface OperationTable {
    List<Operation<?, ?>> operations();

    <Q, R> Handler<Q, R> handler(Operation<Q, R> operation);
}
