package dev.cortex.protocol.api;

import java.util.List;

/**
 * What a sandbox may reach outside. Nothing, unless it is named.
 *
 * @param allowHosts exact names and {@code *.name}
 */
public record Egress(List<String> allowHosts) {
    public Egress {
        allowHosts = List.copyOf(allowHosts);
    }
}
