package dev.cortex.daemon.settings;

import java.util.Optional;

/**
 * A port of loopback.
 *
 * @param number 0 takes a free one
 */
public record Port(int number) {
    private static final int MOST = 65_535;

    public Port {
        if (number < 0 || number > MOST) {
            throw new IllegalArgumentException("a port is 0 to " + MOST);
        }
    }

    /** Empty where the text is no port. */
    static Optional<Port> parse(String text) {
        try {
            int number = Integer.parseInt(text.strip());
            return number < 0 || number > MOST ? Optional.empty() : Optional.of(new Port(number));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
