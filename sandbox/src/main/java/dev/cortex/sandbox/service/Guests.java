package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestConnector;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The neurons that this process talks to, one {@link Guest} a start of a sandbox. Thread-safe. */
final class Guests implements AutoCloseable {
    private final Drivers drivers;
    private final GuestConnector connector;
    private final Map<SandboxId, Connected> connected = new ConcurrentHashMap<>();

    Guests(Drivers drivers, GuestConnector connector) {
        this.drivers = drivers;
        this.connector = connector;
    }

    /** The neuron of a sandbox whose handle and token are known. Dials nothing itself. */
    Guest of(SandboxRow row) {
        return connected
                .compute(row.id(), (id, present) -> {
                    if (present != null && present.generation() == row.generation()) {
                        return present;
                    }
                    if (present != null && present.generation() > row.generation()) {
                        throw CortexException.of(
                                ErrorCode.GUEST_LOST, row.name() + " was started again meanwhile", "try again");
                    }
                    if (present != null) {
                        present.guest().close();
                    }
                    return new Connected(row.generation(), connect(row, row.token()));
                })
                .guest();
    }

    /** A neuron that has not been given its token yet. */
    Guest uninitialized(SandboxRow row) {
        Guest guest = connect(row, GuestToken.NONE);
        take(row, guest);
        return guest;
    }

    /** The neuron of a sandbox that was started ahead. Not kept here until somebody {@link #take}s it. */
    Guest ahead(Handle handle) {
        return connector.connect(() -> drivers.named(handle.driver()).dial(handle), GuestToken.NONE);
    }

    /** That neuron is this sandbox's. */
    void take(SandboxRow row, Guest guest) {
        Connected before = connected.put(row.id(), new Connected(row.generation(), guest));
        if (before != null) {
            before.guest().close();
        }
    }

    void forget(SandboxId id) {
        Connected gone = connected.remove(id);
        if (gone != null) {
            gone.guest().close();
        }
    }

    /** Lets go of a start that is over; a later start's neuron stays. */
    void forget(SandboxRow over) {
        Connected present = connected.get(over.id());
        if (present != null && present.generation() <= over.generation() && connected.remove(over.id(), present)) {
            present.guest().close();
        }
    }

    /**
     * Returns when the stream to a sandbox's neuron ends, and not before. One that stands still cannot answer a Hello;
     * but a dial that waits in its listener's queue ends with it as well.
     *
     * @throws CortexException GUEST_LOST when no stream can be had
     */
    void awaitEnd(SandboxRow row, Optional<State> now) {
        Connected present = connected.get(row.id());
        boolean known = present != null && present.generation() == row.generation();
        if (known || !now.equals(Optional.of(State.PAUSED))) {
            of(row).awaitLost();
            return;
        }
        try (GuestStream queued = dial(row)) {
            while (queued.read(ByteBuffer.allocate(64)) >= 0) {
                // What it says before it was asked is of no interest.
            }
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.GUEST_LOST, "the stream to " + row.name() + " broke", "try again")
                    .because(e);
        }
    }

    private GuestStream dial(SandboxRow row) {
        Handle handle = row.handle()
                .orElseThrow(() -> CortexException.of(ErrorCode.GUEST_LOST, row.name() + " has no handle", ""));
        return drivers.named(handle.driver()).dial(handle);
    }

    @Override
    public void close() {
        connected.keySet().forEach(this::forget);
    }

    private Guest connect(SandboxRow row, GuestToken token) {
        Handle handle = row.handle()
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.NOT_RUNNING, row.name() + " is " + row.state().word(), "cortex start " + row.name()));
        SandboxDriver driver = drivers.named(handle.driver());
        return connector.connect(() -> driver.dial(handle), token);
    }

    private record Connected(long generation, Guest guest) {}

    /** A running sandbox with its neuron; fails with NOT_RUNNING or PAUSED otherwise. */
    Running running(SandboxRow row) {
        return switch (row.state()) {
            case RUNNING -> new Running(row, of(row));
            case PAUSED -> throw paused(row);
            case CREATED, STOPPED, ERROR -> throw notRunning(row);
        };
    }

    static CortexException paused(SandboxRow row) {
        return CortexException.of(ErrorCode.PAUSED, row.name() + " is paused", "cortex resume " + row.name());
    }

    private static CortexException notRunning(SandboxRow row) {
        String why = row.reason().isEmpty() ? "" : " (" + row.reason() + ")";
        return CortexException.of(
                ErrorCode.NOT_RUNNING,
                row.name() + " is " + row.state().word() + why,
                row.state() == State.ERROR
                        ? "cortex inspect " + row.name() + " says why; then cortex reset " + row.name()
                                + " and cortex start " + row.name()
                        : "cortex start " + row.name());
    }
}
