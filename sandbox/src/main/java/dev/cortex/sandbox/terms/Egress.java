package dev.cortex.sandbox.terms;

import java.util.List;

/**
 * What a sandbox may reach outside.
 *
 * @param allowHosts as they were asked for
 */
public record Egress(List<String> allowHosts) {
    public static final Egress NOTHING = new Egress(List.of());

    public Egress {
        allowHosts = List.copyOf(allowHosts);
    }
}
