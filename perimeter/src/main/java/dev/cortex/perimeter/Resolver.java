package dev.cortex.perimeter;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of names, on the host. May block for long; thread-safe. */
@FunctionalInterface
interface Resolver {
    /** @return at least one */
    List<InetAddress> resolve(Host.Name name) throws UnknownHostException;

    /** The machine's own way, but for the one name that always means the machine's loopback. */
    static Resolver system() {
        return name -> name.equals(EgressRule.THIS_MACHINE)
                ? List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"))
                : List.of(InetAddress.getAllByName(name.text()));
    }
}
