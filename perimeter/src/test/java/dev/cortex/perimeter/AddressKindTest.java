package dev.cortex.perimeter;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class AddressKindTest {
    @Test
    void theEdgesOfEachRangeAreWhatTheyAre() {
        Map<String, AddressKind> edges = Map.ofEntries(
                Map.entry("9.255.255.255", AddressKind.PUBLIC),
                Map.entry("10.0.0.0", AddressKind.PRIVATE),
                Map.entry("10.255.255.255", AddressKind.PRIVATE),
                Map.entry("11.0.0.0", AddressKind.PUBLIC),
                Map.entry("100.63.255.255", AddressKind.PUBLIC),
                Map.entry("100.64.0.0", AddressKind.SHARED),
                Map.entry("100.127.255.255", AddressKind.SHARED),
                Map.entry("100.128.0.0", AddressKind.PUBLIC),
                Map.entry("126.255.255.255", AddressKind.PUBLIC),
                Map.entry("127.255.255.255", AddressKind.LOOPBACK),
                Map.entry("169.253.255.255", AddressKind.PUBLIC),
                Map.entry("169.254.0.0", AddressKind.LINK_LOCAL),
                Map.entry("169.254.169.254", AddressKind.METADATA),
                Map.entry("172.15.255.255", AddressKind.PUBLIC),
                Map.entry("172.16.0.0", AddressKind.PRIVATE),
                Map.entry("172.32.0.0", AddressKind.PUBLIC),
                Map.entry("223.255.255.255", AddressKind.PUBLIC),
                Map.entry("224.0.0.0", AddressKind.MULTICAST),
                Map.entry("240.0.0.0", AddressKind.RESERVED),
                Map.entry("0.1.2.3", AddressKind.RESERVED),
                Map.entry("2001:4860:4860::8888", AddressKind.PUBLIC),
                Map.entry("fbff::1", AddressKind.RESERVED),
                Map.entry("fc00::", AddressKind.PRIVATE),
                Map.entry("fdff:ffff::", AddressKind.PRIVATE),
                Map.entry("fe80::1", AddressKind.LINK_LOCAL),
                Map.entry("febf::1", AddressKind.LINK_LOCAL),
                Map.entry("fec0::1", AddressKind.PRIVATE),
                Map.entry("4000::1", AddressKind.RESERVED),
                Map.entry("2002:a00:1::", AddressKind.EMBEDDED),
                Map.entry("2001:0:1::", AddressKind.EMBEDDED),
                Map.entry("64:ff9b:1::1", AddressKind.EMBEDDED));
        edges.forEach((text, kind) ->
                assertThat(AddressKind.of(InetAddress.ofLiteral(text))).as(text).isEqualTo(kind));
    }

    @Property(tries = 3_000)
    void whatJavaKnowsToBeNearbyIsNeverPublic(@ForAll @Size(4) byte[] bytes) throws UnknownHostException {
        InetAddress address = InetAddress.getByAddress(bytes);
        if (address.isLoopbackAddress()
                || address.isSiteLocalAddress()
                || address.isLinkLocalAddress()
                || address.isMulticastAddress()
                || address.isAnyLocalAddress()) {
            assertThat(AddressKind.of(address)).isNotEqualTo(AddressKind.PUBLIC);
        }
    }

    @Property(tries = 3_000)
    void everyIpv6AddressOutsideOfWhatWasGivenOutIsNotPublic(@ForAll @Size(16) byte[] bytes)
            throws UnknownHostException {
        InetAddress address = InetAddress.getByAddress(bytes);
        if (address.getAddress().length == 16 && (bytes[0] & 0xe0) != 0x20) {
            assertThat(AddressKind.of(address)).isNotEqualTo(AddressKind.PUBLIC);
        }
    }
}
