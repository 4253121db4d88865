package dev.cortex.perimeter;

import java.util.Set;

/**
 * One rule that allows something: {@code HOST[:PORT][@private]}.
 *
 * @param text as it is shown
 * @param ports empty: any
 * @param nearby addresses that are not public may be dialled too
 */
record EgressRule(String text, Target target, Set<Integer> ports, boolean nearby) {
    /** The name by which a sandbox reaches this machine's own loopback, once it is allowed. */
    static final Host.Name THIS_MACHINE = new Host.Name("host.cortex.internal");

    /** What is meant where no port is named: the web. */
    static final Set<Integer> WEB = Set.of(80, 443);

    EgressRule {
        ports = Set.copyOf(ports);
    }

    /** Which hosts a rule is about. */
    sealed interface Target {
        boolean matches(Host host);
    }

    /** One name or one address. */
    record Exactly(Host host) implements Target {
        @Override
        public boolean matches(Host other) {
            return host.equals(other);
        }
    }

    /** All names beneath one, at any depth, and not itself. */
    record Beneath(Host.Name apex) implements Target {
        @Override
        public boolean matches(Host host) {
            return host instanceof Host.Name name && name.text().endsWith("." + apex.text());
        }
    }

    boolean matches(Host host, int port) {
        return (ports.isEmpty() || ports.contains(port)) && target.matches(host);
    }

    /** Whether an address of that kind may be dialled for a host that matches. */
    boolean permits(AddressKind kind) {
        if (target instanceof Exactly(Host host)) {
            if (host instanceof Host.Address) {
                // Who names an address means it.
                return kind != AddressKind.UNSPECIFIED && kind != AddressKind.MULTICAST;
            }
            if (host.equals(THIS_MACHINE)) {
                return kind == AddressKind.LOOPBACK;
            }
        }
        return switch (kind) {
            case PUBLIC -> true;
            case PRIVATE, LOOPBACK, SHARED, OWN -> nearby;
            case METADATA, LINK_LOCAL, MULTICAST, UNSPECIFIED, RESERVED, EMBEDDED -> false;
        };
    }
}
