package dev.cortex.sandbox.figure;

import java.util.HashMap;
import java.util.Map;

/**
 * One number about a part of this process, as it is now.
 *
 * @param name in the manner of Prometheus, with its unit: {@code cortex_disk_pool_free_bytes}; a counter ends in
 *     {@code _total}
 * @param help one sentence, the same for every figure of that name
 * @param labels names and values that we chose from a bounded number: never a word of a sandbox or of its owner, which
 *     would make a series of each
 */
public record Figure(String name, Kind kind, String help, Map<String, String> labels, double value) {
    /** How a figure moves. */
    public enum Kind {
        /** Up and down. */
        GAUGE,
        /** Up only, from 0 at the start of this process. */
        COUNTER
    }

    public Figure {
        labels = Map.copyOf(labels);
    }

    public static Figure gauge(String name, String help, double value) {
        return new Figure(name, Kind.GAUGE, help, Map.of(), value);
    }

    public static Figure counter(String name, String help, double value) {
        return new Figure(name, Kind.COUNTER, help, Map.of(), value);
    }

    /** The same figure with another value. */
    public Figure at(double now) {
        return new Figure(name, kind, help, labels, now);
    }

    /** The same figure, of the part that the label names. */
    public Figure of(String label, String part) {
        Map<String, String> more = new HashMap<>(labels);
        more.put(label, part);
        return new Figure(name, kind, help, more, value);
    }
}
