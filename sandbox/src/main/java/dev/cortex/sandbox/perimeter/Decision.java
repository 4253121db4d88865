package dev.cortex.sandbox.perimeter;

import java.time.Instant;

/**
 * One decision about a connection, or several that were alike.
 *
 * @param at of the first of them
 * @param host as it was normalised; what is no name is shown as it came
 * @param via {@code tunnel} or {@code http}
 * @param method of a plain HTTP request, empty for a tunnel
 * @param rule that decided, empty: no rule did
 * @param reason why it was denied or failed, in words; empty when it was allowed
 * @param remedy empty where there is none
 * @param program that asked, empty where it is not known
 * @param session whose program it is, empty where it is not known
 * @param count how many there were
 */
public record Decision(
        Instant at,
        Verdict verdict,
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

    /** What became of it. */
    public enum Verdict {
        ALLOW,
        DENY,
        /** Allowed, but there was no connection to be had. */
        FAIL,
        /** Was allowed, until other terms cut it. */
        CUT;

        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** The same for so many. */
    public Decision times(long many) {
        return new Decision(at, verdict, host, port, via, method, rule, reason, remedy, program, session, many);
    }
}
