package dev.cortex.protocol.api;

import java.util.List;
import java.util.Optional;

/**
 * Other terms for what a sandbox may reach.
 *
 * @param allowHosts rules to be added: {@code HOST[:PORT][@private]}, {@code *.NAME}
 * @param dropHosts rules to be taken away, as they are shown
 * @param only true: what is allowed until now goes
 */
public record EgressChange(List<String> allowHosts, List<String> dropHosts, Optional<Boolean> only) {
    public EgressChange {
        allowHosts = List.copyOf(allowHosts);
        dropHosts = List.copyOf(dropHosts);
    }
}
