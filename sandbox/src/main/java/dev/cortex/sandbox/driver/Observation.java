package dev.cortex.sandbox.driver;

/** What a sandbox is, seen from outside. {@code UNKNOWN} is never read as {@code ABSENT}. */
public enum Observation {
    UNKNOWN,
    RUNNING,
    PAUSED,
    ABSENT
}
