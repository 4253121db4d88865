package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.Problems;
import dev.cortex.sandbox.terms.Egress;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules of one sandbox. What no rule allows is denied.
 *
 * @param rules in the order in which they were given
 */
record Policy(List<EgressRule> rules) {
    /** More than a person reads, and little to hold each request against. */
    private static final int RULES_MOST = 1_000;

    Policy {
        rules = List.copyOf(rules);
    }

    /** @throws CortexException INVALID_ARGUMENT with every rule that is none */
    static Policy of(Egress terms) {
        Problems problems = new Problems();
        problems.require(terms.allowHosts().size() <= RULES_MOST, "more than " + RULES_MOST + " rules");
        List<EgressRule> rules = new ArrayList<>();
        for (String written : terms.allowHosts().stream().limit(RULES_MOST).toList()) {
            try {
                rules.add(RuleText.parse(written));
            } catch (CortexException e) {
                problems.require(false, e.getMessage());
            }
        }
        problems.throwIfAny("write " + RuleText.FORM);
        return new Policy(rules);
    }

    /** The rules that allow a connection, as long as its address is one that they permit. */
    List<EgressRule> allowing(Host host, int port) {
        return rules.stream().filter(rule -> rule.matches(host, port)).toList();
    }
}
