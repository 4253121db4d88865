package dev.cortex.drivers.launch;

/** Identifies a process for ever: pids are used again, the three together are not. */
public record FirstProcess(int pid, long startTime, String bootId) {}
