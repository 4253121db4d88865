package dev.cortex.sandbox.perimeter;

import dev.cortex.sandbox.guest.GuestRequests;
import dev.cortex.sandbox.terms.Egress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A sandbox that is running, as the perimeter sees it.
 *
 * @param name for people, and for the remedies in refusals
 * @param terms in force now; asked for once, when the sandbox is attended to
 * @param announce told of each decision that was written down; must not block
 */
public record Outlet(
        DecisionLogFile log, String name, Supplier<Egress> terms, GuestRequests guest, Consumer<Decision> announce) {}
