package dev.cortex.sandbox.spare;

import java.util.Map;

/**
 * The warm pool in numbers; all but {@code ready} since this process began.
 *
 * @param ready spares that can be handed out, by driver and runtime, such as {@code oci/crun}
 * @param handedOut spares that a create took and gave its name
 * @param missed creates that a spare would have fitted, of whose kind none was ready
 * @param filled spares that were made
 * @param failed spares that could not be made
 */
public record SpareTotals(Map<String, Long> ready, long handedOut, long missed, long filled, long failed) {
    public SpareTotals {
        ready = Map.copyOf(ready);
    }
}
