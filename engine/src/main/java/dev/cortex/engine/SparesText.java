package dev.cortex.engine;

import dev.cortex.sandbox.store.SpareRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What there is of a warm pool, in words for a doctor. */
final class SparesText {
    private SparesText() {}

    static List<String> of(List<SpareRow> spares) {
        Map<String, Integer> ready = new LinkedHashMap<>();
        int others = 0;
        for (SpareRow spare : spares) {
            if (spare.handle().isPresent()) {
                ready.merge(spare.kind().words(), 1, Integer::sum);
            } else {
                others++;
            }
        }
        List<String> lines = new ArrayList<>();
        ready.forEach((kind, count) ->
                lines.add("warm pool: " + count + (count == 1 ? " spare" : " spares") + " ready of " + kind));
        if (others > 0) {
            lines.add("warm pool: " + others + (others == 1 ? " spare is" : " spares are") + " being made or removed");
        }
        return lines;
    }
}
