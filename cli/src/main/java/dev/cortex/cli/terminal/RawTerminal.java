package dev.cortex.cli.terminal;

import dev.cortex.cli.host.Child;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The terminal at stdin, passed through to a session: nothing is echoed, edited or made a signal here. Done by {@code
 * stty}, a child of 3 ms, since a foreign call to tcsetattr takes 40 ms to set up.
 */
public final class RawTerminal implements AutoCloseable {
    /** Of a terminal whose size nobody knows. */
    public static final Size USUAL = new Size(24, 80);

    private final String saved;
    private boolean restored;

    private RawTerminal(String saved) {
        this.saved = saved;
    }

    /** In characters. */
    public record Size(int rows, int columns) {}

    /** Raw mode from now until {@link #close}; empty where the terminal does not take it. */
    public static Optional<RawTerminal> enter() {
        try {
            Child settings = Child.quiet(List.of("stty", "-g"));
            if (settings.status() != 0
                    || Child.quiet(List.of("stty", "raw", "-echo")).status() != 0) {
                return Optional.empty();
            }
            return Optional.of(new RawTerminal(settings.output().strip()));
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** Of the terminal at stdin, or of the one that we were started from. */
    public static Size size() {
        try {
            Child asked = Child.quiet(List.of("stty", "size"));
            if (asked.status() != 0) {
                asked = Child.quiet(List.of("stty", "-F", "/dev/tty", "size"));
            }
            return size(asked.output());
        } catch (IOException e) {
            return USUAL;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return USUAL;
        }
    }

    /** What {@code stty size} prints: rows and columns. */
    static Size size(String printed) {
        int space = printed.indexOf(' ');
        try {
            int rows = Integer.parseInt(printed.substring(0, Math.max(0, space)).strip());
            int columns = Integer.parseInt(printed.substring(space + 1).strip());
            return rows > 0 && columns > 0 ? new Size(rows, columns) : USUAL;
        } catch (NumberFormatException e) {
            return USUAL;
        }
    }

    /** As it was before. Once; safe from a signal's thread. */
    @Override
    public synchronized void close() {
        if (restored) {
            return;
        }
        restored = true;
        try {
            Child.quiet(List.of("stty", saved));
        } catch (IOException e) {
            // The terminal is gone.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
