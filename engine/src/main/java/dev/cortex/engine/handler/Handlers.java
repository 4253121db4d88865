package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Handler;
import dev.cortex.images.ImageLibrary;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.sandbox.disk.PoolState;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The handler of each operation. */
public final class Handlers {
    private final Map<String, Handler<?, ?>> byName = new HashMap<>();

    /** None. */
    Handlers() {}

    /**
     * @param opened when the home was opened
     * @param imageBytes bytes that unpacked images take
     */
    public Handlers(
            SandboxService sandboxes,
            ImageLibrary images,
            Home home,
            String version,
            Instant opened,
            Clock clock,
            LongSupplier imageBytes) {
        new UsageHandlers(sandboxes, imageBytes).register(this);
        new DaemonHandlers(sandboxes, home, version, opened, clock).register(this);
        new SandboxHandlers(sandboxes, clock).register(this);
        new SessionHandlers(sandboxes).register(this);
        new EgressHandlers(sandboxes).register(this);
        new FileHandlers(sandboxes).register(this);
        new PruneHandlers(sandboxes, images).register(this);
        new WatchHandlers(sandboxes).register(this);
        new WorkspaceHandlers(sandboxes.workspaces()).register(this);
        new ForwardHandlers(sandboxes).register(this);
        new ImageHandlers(images, sandboxes.spares()).register(this);
    }

    /** Which of these drivers are ready, and which of them {@code auto} would take. */
    public static Daemon.Readiness readiness(List<SandboxDriver> drivers) {
        return DaemonHandlers.readiness(drivers);
    }

    /** How far limits of running sandboxes and of disks exceed the machine, in words; empty without any. */
    public static List<String> promised(
            List<SandboxRow> sandboxes, List<SpareRow> spares, List<DiskRow> disks, PoolState pool) {
        return PromisesText.of(
                Promises.of(sandboxes, spares, disks, pool, MachineMemory.now().total()));
    }

    <Q, R> void put(Operation<Q, R> operation, Handler<Q, R> handler) {
        byName.put(operation.name(), handler);
    }

    @SuppressWarnings("unchecked") // put() ties the types of an operation to its handler's.
    public <Q, R> Handler<Q, R> of(Operation<Q, R> operation) {
        Handler<?, ?> handler = byName.get(operation.name());
        if (handler == null) {
            throw new IllegalArgumentException("no handler for " + operation.name());
        }
        return (Handler<Q, R>) handler;
    }
}
