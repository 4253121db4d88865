package dev.cortex.sandbox.service;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Every durable step of an operation, in the order in which one crosses them. The words are for crash injection; a step
 * that is added here is crashed at by {@code CrashTest} and {@code HaltIT} without further ado.
 */
public enum Boundary {
    CREATE_RECORDED,
    CREATE_DISK,
    FOLDERS_MADE,
    DRIVER_STARTED,
    HANDLE_STORED,
    GUEST_INITIALIZED,
    CREATE_READY,
    CREATE_PRIMARY,
    CREATE_COMPLETED,
    FILL_RECORDED,
    FILL_FOLDERS,
    FILL_STARTED,
    FILL_HELD,
    CREATE_CLAIMED,
    CREATE_NAMED,
    DRAIN_STOPPED,
    DRAIN_DISK,
    DRAIN_FOLDERS,
    DRAIN_RECORD,
    START_BEGUN,
    START_READY,
    START_COMPLETED,
    PAUSE_BEGUN,
    PAUSE_DRAINED,
    PAUSE_FROZEN,
    PAUSE_COMPLETED,
    RESUME_BEGUN,
    RESUME_THAWED,
    RESUME_COMPLETED,
    STOP_BEGUN,
    STOP_DRAINED,
    STOP_SHUTDOWN,
    RELEASED_PROCESSES,
    STOP_RELEASED,
    STOP_COMPLETED,
    REMOVE_BEGUN,
    ERASE_STOPPED,
    ERASE_DISK,
    ERASE_FOLDER,
    ERASE_RECORD,
    LOST_SEEN,
    RESTART_BEGUN,
    RESTART_RELEASED;

    /** Such as {@code stop.drained}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    public static Optional<Boundary> named(String word) {
        return Arrays.stream(values())
                .filter(boundary -> boundary.word().equals(word))
                .findFirst();
    }
}
