package dev.cortex.guest;

import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestConnector;
import dev.cortex.sandbox.guest.GuestToken;
import java.util.function.Supplier;

/** Connects to neurons by the protocol's version 1. One for a process; thread-safe. */
public final class NeuronConnector implements GuestConnector {
    private final Watchdog watchdog = new Watchdog();

    @Override
    public Guest connect(Supplier<GuestStream> dialer, GuestToken token) {
        return new Neuron(new Dial(dialer, watchdog, Dial.PATIENCE), token);
    }
}
