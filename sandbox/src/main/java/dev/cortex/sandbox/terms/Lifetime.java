package dev.cortex.sandbox.terms;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * How long a sandbox lives by itself.
 *
 * @param timeout most of its life from each start on
 * @param idle most of its life without activity
 * @param then what happens at the end of either
 */
public record Lifetime(Optional<Duration> timeout, Optional<Duration> idle, Then then, Restart restart) {
    public static final Lifetime ENDLESS = new Lifetime(Optional.empty(), Optional.empty(), Then.STOP, Restart.NO);

    public enum Then {
        STOP,
        PAUSE,
        REMOVE;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether it is started again after the machine was. */
    public enum Restart {
        NO,
        ON_BOOT;

        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
