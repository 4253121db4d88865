package dev.cortex.perimeter;

import java.net.InetAddress;
import java.time.Clock;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What the perimeter knows of the world around it.
 *
 * @param own this machine's addresses
 */
record Surroundings(Resolver resolver, Supplier<Set<InetAddress>> own, Clock clock) {
    AddressKind kindOf(InetAddress address) {
        AddressKind kind = AddressKind.of(address);
        return kind == AddressKind.PUBLIC && own.get().contains(address) ? AddressKind.OWN : kind;
    }
}
