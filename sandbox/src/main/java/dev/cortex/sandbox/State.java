package dev.cortex.sandbox;

import java.util.Locale;

/** The five states. None of them means "being changed": an operation in flight holds a lease. */
public enum State {
    CREATED,
    RUNNING,
    PAUSED,
    STOPPED,
    ERROR;

    /** As every surface shows it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
