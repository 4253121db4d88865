package dev.cortex.sandbox.service;

import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.store.SpareRow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The spares that can be handed out. Whoever takes one has it alone. Thread-safe. */
final class ReadySpares {
    private final Map<SpareKind, Deque<Ready>> byKind = new HashMap<>();

    /** One with an open stream to its neuron, which waits for its Initialize. */
    record Ready(SpareRow row, Guest guest) {}

    /** The oldest of its kind. */
    synchronized Optional<Ready> take(SpareKind kind) {
        Deque<Ready> queue = byKind.get(kind);
        return queue == null ? Optional.empty() : Optional.ofNullable(queue.poll());
    }

    /** This very one, if nobody has taken it. */
    synchronized boolean take(Ready ready) {
        Deque<Ready> queue = byKind.get(ready.row().kind());
        return queue != null
                && queue.removeIf(other -> other.row().id().equals(ready.row().id()));
    }

    synchronized void put(Ready ready) {
        byKind.computeIfAbsent(ready.row().kind(), any -> new ArrayDeque<>()).add(ready);
    }

    synchronized int count(SpareKind kind) {
        Deque<Ready> queue = byKind.get(kind);
        return queue == null ? 0 : queue.size();
    }

    synchronized List<Ready> all() {
        List<Ready> all = new ArrayList<>();
        byKind.values().forEach(all::addAll);
        return all;
    }
}
