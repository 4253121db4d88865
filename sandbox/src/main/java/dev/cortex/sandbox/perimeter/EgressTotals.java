package dev.cortex.sandbox.perimeter;

import java.util.Map;

/**
 * What a perimeter has done since it was made, for all sandboxes together.
 *
 * @param decisions how many there were of each verdict that there was; those that were not written down one by one too
 * @param open connections that are open now
 * @param outBytes that sandboxes sent to the outside
 * @param inBytes that came back
 */
public record EgressTotals(Map<Decision.Verdict, Long> decisions, long open, long outBytes, long inBytes) {
    /** Of one that has done nothing. */
    public static final EgressTotals NONE = new EgressTotals(Map.of(), 0, 0, 0);

    public EgressTotals {
        decisions = Map.copyOf(decisions);
    }
}
