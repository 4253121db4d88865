package dev.cortex.engine;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Exec;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.Map;
import java.util.Optional;

/**
 * One sandbox, for Java programs. Holds no resource: closing it removes the sandbox, not this object. Thread-safe; all
 * methods throw {@link dev.cortex.protocol.error.CortexException}.
 */
public final class Sandbox implements AutoCloseable {
    private final Cortex cortex;
    private final String id;

    Sandbox(Cortex cortex, String id) {
        this.cortex = cortex;
        this.id = id;
    }

    public String id() {
        return id;
    }

    public SandboxView inspect() {
        return call(Operations.INSPECT, Optional.empty());
    }

    /** Runs a command to its end. */
    public Exec.Result exec(String... argv) {
        return exec(new Exec.Request(StartSession.of(argv), Optional.empty(), Optional.empty()));
    }

    public Exec.Result exec(Exec.Request request) {
        return call(Operations.EXEC, Optional.of(request));
    }

    /** A file's bytes, all in memory. */
    public byte[] readFile(String path) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            ((Handler.Download) cortex.handler(Operations.FILE_READ))
                    .handle(at(path), headers -> Channels.newChannel(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Replaces a file, or makes it. */
    public void writeFile(String path, byte[] bytes) {
        switch (cortex.handler(Operations.FILE_WRITE)) {
            case Handler.Upload<?> upload ->
                upload.handle(at(path), Channels.newChannel(new ByteArrayInputStream(bytes)));
            default -> throw new IllegalStateException("file.write takes an upload");
        }
    }

    public SandboxView start() {
        return call(Operations.START, Optional.empty());
    }

    public SandboxView stop() {
        return call(Operations.STOP, Optional.of(new Lifecycle.Stop(Optional.empty())));
    }

    /** Removes it, running or not; its disk stays if it has a name and {@code wipe} is false. */
    public Lifecycle.Removed remove(boolean wipe) {
        return cortex.call(
                Operations.REMOVE,
                Map.of("sandbox", id),
                Map.of("force", "true", "wipe", Boolean.toString(wipe)),
                Optional.empty());
    }

    /** Removes it, running or not; its disk stays if it has a name. */
    @Override
    public void close() {
        remove(false);
    }

    private <Q, R> R call(Operation<Q, R> operation, Optional<Q> body) {
        return cortex.call(operation, Map.of("sandbox", id), Map.of(), body);
    }

    private Call<Void> at(String path) {
        return new Call<>(Map.of("sandbox", id), Map.of("path", path), Optional.empty(), Optional.empty());
    }
}
