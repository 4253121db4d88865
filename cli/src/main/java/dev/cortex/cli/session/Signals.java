package dev.cortex.cli.session;

import java.util.function.Consumer;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** Signals to this process, given to whoever is in charge at the moment. Handlers run on a thread of the JVM's own. */
public final class Signals {
    private Signals() {}

    /**
     * From now on that signal is {@code handler}'s. A signal that was ignored when we started stays ignored, as for a
     * command that a script put into the background.
     *
     * @param name without SIG
     */
    public static void handle(String name, Runnable handler) {
        SignalHandler before = Signal.handle(new Signal(name), new Handler(signal -> handler.run()));
        if (SignalHandler.SIG_IGN.equals(before)) {
            Signal.handle(new Signal(name), SignalHandler.SIG_IGN);
        }
    }

    private record Handler(Consumer<Signal> consumer) implements SignalHandler {
        @Override
        public void handle(Signal signal) {
            consumer.accept(signal);
        }
    }
}
