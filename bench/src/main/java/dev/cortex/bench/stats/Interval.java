package dev.cortex.bench.stats;

/** From {@code low} to {@code high}, both included. */
public record Interval(double low, double high) {}
