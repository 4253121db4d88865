package dev.cortex.protocol.api;

import java.util.List;

/**
 * What was decided about a connection, or several that were alike.
 *
 * @param at ISO 8601, of the first of them
 * @param verdict allow, deny, fail (allowed, but not reached) or cut
 * @param host as it was asked for, normalised
 * @param via tunnel or http
 * @param method of a plain HTTP request, else empty
 * @param rule that allowed it, else empty
 * @param reason why not, else empty
 * @param remedy the command that would allow it, else empty
 * @param program that asked, empty where it is not known
 * @param session whose program it is, empty where it is not known
 * @param count how many there were
 */
public record EgressDecision(
        String at,
        String verdict,
        String host,
        int port,
        String via,
        String method,
        String rule,
        String reason,
        String remedy,
        String program,
        String session,
        long count) {

    /** @param decisions oldest first */
    public record Page(List<EgressDecision> decisions) {
        public Page {
            decisions = List.copyOf(decisions);
        }
    }
}
