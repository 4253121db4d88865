package dev.cortex.testkit.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What went wrong: errors of the family by their code, and everything else. Thread-safe. */
public final class Faults {
    private static final int WORDS = 10;

    private final Map<String, Integer> typed = new TreeMap<>();
    private final List<String> words = new ArrayList<>();
    private int untyped;

    synchronized void typed(String code, String text) {
        if (typed.merge(code, 1, Integer::sum) == 1) {
            words.add(text);
        }
    }

    synchronized void untyped(String text) {
        untyped++;
        if (untyped <= WORDS) {
            words.add(text);
        }
    }

    /** How often each step was refused with each code. */
    public synchronized Map<String, Integer> typed() {
        return new TreeMap<>(typed);
    }

    /** Errors without a code of the family, lost connections and wrong answers. */
    public synchronized int untyped() {
        return untyped;
    }

    /** What some of them said. */
    public synchronized List<String> words() {
        return List.copyOf(words);
    }
}
