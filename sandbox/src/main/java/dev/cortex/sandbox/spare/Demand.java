package dev.cortex.sandbox.spare;

import dev.cortex.sandbox.store.SpareKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many spares of which kind there ought to be, from what was asked for lately. Each create adds one to its kind's
 * heat, which halves every {@link #HALF_LIFE}; heat raises the number, and a kind that nobody asks for any more goes. Not
 * thread-safe.
 */
public final class Demand {
    static final Duration HALF_LIFE = Duration.ofSeconds(30);

    /** A kind that was not asked for in this time has no spares. */
    static final Duration REMEMBERED = Duration.ofMinutes(10);

    /** So much heat asks for one spare more. */
    private static final double HEAT_PER_SPARE = 4;

    private final SpareSettings settings;
    private final Map<SpareKind, Use> uses = new HashMap<>();

    private record Use(double heat, Instant last) {
        double at(Instant now) {
            double halves = (double) Duration.between(last, now).toMillis() / HALF_LIFE.toMillis();
            return heat * Math.pow(2, -Math.max(0, halves));
        }

        Use again(Instant now) {
            return new Use(at(now) + 1, now);
        }
    }

    public Demand(SpareSettings settings) {
        this.settings = settings;
    }

    /** A sandbox of that kind was asked for. */
    public void asked(SpareKind kind, Instant now) {
        uses.merge(kind, new Use(1, now), (before, first) -> before.again(now));
    }

    /** Nobody can ask for it any more. */
    public void forget(SpareKind kind) {
        uses.remove(kind);
    }

    /** Nor for any of an image. */
    public void forgetImage(String digest) {
        uses.keySet().removeIf(kind -> kind.digest().equals(digest));
    }

    /**
     * Numbers of spares, the kind that matters most first.
     *
     * @param always a kind that has spares although nobody asked for it; at most one
     */
    public Map<SpareKind, Integer> targets(List<SpareKind> always, Instant now) {
        uses.values().removeIf(use -> Duration.between(use.last(), now).compareTo(REMEMBERED) > 0);
        List<SpareKind> kinds = new ArrayList<>(always);
        uses.keySet().stream()
                .filter(kind -> !always.contains(kind))
                .sorted(Comparator.comparing((SpareKind kind) -> last(kind)).reversed())
                .forEach(kinds::add);
        Map<SpareKind, Integer> targets = new LinkedHashMap<>();
        int left = settings.mostOfAll();
        for (SpareKind kind : kinds) {
            int wanted = Math.min(left, Math.min(settings.mostOfAKind(), settings.each() + more(kind, now)));
            if (wanted > 0) {
                targets.put(kind, wanted);
                left -= wanted;
            }
        }
        return targets;
    }

    private Instant last(SpareKind kind) {
        Use use = uses.get(kind);
        return use == null ? Instant.EPOCH : use.last();
    }

    private int more(SpareKind kind, Instant now) {
        Use use = uses.get(kind);
        return use == null ? 0 : (int) (use.at(now) / HEAT_PER_SPARE);
    }
}
