package dev.cortex.sandbox.guest;

/** What a neuron says of itself and of its sandbox. Figures come from inside: they are shown, never trusted. */
public record GuestInfo(
        String version,
        boolean initialized,
        boolean ready,
        long generation,
        long uptimeMs,
        long memoryUsedBytes,
        long memoryLimitBytes,
        long diskUsedBytes,
        long diskTotalBytes,
        long processes,
        long sessionsRunning,
        long sessionsStarted) {}
