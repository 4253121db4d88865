package dev.cortex.perimeter;

import java.math.BigInteger;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/** What an address leads to. Only {@link #PUBLIC} ones are dialled without being asked for as such. */
enum AddressKind {
    PUBLIC("a public address"),
    /** Services that give a cloud machine's credentials to whoever reaches them. */
    METADATA("a cloud's metadata service"),
    LOOPBACK("a loopback address"),
    PRIVATE("a private address"),
    LINK_LOCAL("a link-local address"),
    /** RFC 6598, between a provider and its customers. */
    SHARED("a provider's shared address"),
    MULTICAST("a multicast address"),
    UNSPECIFIED("no address"),
    RESERVED("a reserved address"),
    /** An IPv6 address that leads to an IPv4 one by some translator. */
    EMBEDDED("an address that hides another"),
    /** This machine's own, other than loopback. */
    OWN("an address of this machine");

    private final String words;

    AddressKind(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    /** In order: the first range that holds an address says what it is. IANA's special-purpose registries, and clouds. */
    private static final List<Range> RANGES = List.of(
            new Range("169.254.169.254/32", METADATA),
            new Range("169.254.170.2/32", METADATA), // Amazon's containers
            new Range("100.100.100.200/32", METADATA), // Alibaba
            new Range("168.63.129.16/32", METADATA), // Azure
            new Range("192.0.0.192/32", METADATA), // Oracle
            new Range("fd00:ec2::/32", METADATA), // Amazon
            new Range("fd20:ce::/32", METADATA), // Google
            new Range("0.0.0.0/32", UNSPECIFIED),
            new Range("0.0.0.0/8", RESERVED),
            new Range("10.0.0.0/8", PRIVATE),
            new Range("100.64.0.0/10", SHARED),
            new Range("127.0.0.0/8", LOOPBACK),
            new Range("169.254.0.0/16", LINK_LOCAL),
            new Range("172.16.0.0/12", PRIVATE),
            new Range("192.0.0.0/24", RESERVED),
            new Range("192.0.2.0/24", RESERVED), // documentation
            new Range("192.88.99.0/24", RESERVED), // 6to4 relays
            new Range("192.168.0.0/16", PRIVATE),
            new Range("198.18.0.0/15", RESERVED), // benchmarks
            new Range("198.51.100.0/24", RESERVED),
            new Range("203.0.113.0/24", RESERVED),
            new Range("224.0.0.0/4", MULTICAST),
            new Range("240.0.0.0/4", RESERVED),
            new Range("::/128", UNSPECIFIED),
            new Range("::1/128", LOOPBACK),
            new Range("::/96", EMBEDDED), // IPv4-compatible
            new Range("64:ff9b::/96", EMBEDDED), // NAT64
            new Range("64:ff9b:1::/48", EMBEDDED),
            new Range("2001::/32", EMBEDDED), // Teredo
            new Range("2002::/16", EMBEDDED), // 6to4
            new Range("2001:db8::/32", RESERVED),
            new Range("3fff::/20", RESERVED),
            new Range("2001::/23", RESERVED),
            new Range("fc00::/7", PRIVATE),
            new Range("fe80::/10", LINK_LOCAL),
            new Range("fec0::/10", PRIVATE),
            new Range("ff00::/8", MULTICAST));

    /** All that the registries have given out; what lies outside is not yet anything. */
    private static final Range GLOBAL_IPV6 = new Range("2000::/3", PUBLIC);

    static AddressKind of(InetAddress address) {
        for (Range range : RANGES) {
            if (range.holds(address)) {
                return range.kind;
            }
        }
        return address instanceof Inet6Address && !GLOBAL_IPV6.holds(address) ? RESERVED : PUBLIC;
    }

    /** Addresses whose first bits are those. */
    private static final class Range {
        private final byte[] first;
        private final int bits;
        private final AddressKind kind;

        Range(String prefix, AddressKind kind) {
            int slash = prefix.indexOf('/');
            this.first = InetAddress.ofLiteral(prefix.substring(0, slash)).getAddress();
            this.bits = Integer.parseInt(prefix.substring(slash + 1));
            this.kind = kind;
        }

        boolean holds(InetAddress address) {
            byte[] bytes = address.getAddress();
            return bytes.length == first.length && Arrays.equals(masked(bytes), masked(first));
        }

        private byte[] masked(byte[] bytes) {
            int dropped = bytes.length * Byte.SIZE - bits;
            return new BigInteger(1, bytes).shiftRight(dropped).toByteArray();
        }
    }
}
