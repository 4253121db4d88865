package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.Set;

/** Rules as people write them. */
final class RuleText {
    static final String FORM = "HOST[:PORT][@private], such as pypi.org, *.npmjs.org or db.corp.example:5432@private";

    private static final String NEARBY = "@private";
    private static final String BENEATH = "*.";
    private static final int PORT_MOST = 65_535;

    private RuleText() {}

    /** @throws CortexException INVALID_ARGUMENT */
    static EgressRule parse(String written) {
        boolean nearby = written.endsWith(NEARBY);
        String rest = nearby ? written.substring(0, written.length() - NEARBY.length()) : written;
        int colon = portColon(rest);
        Set<Integer> ports = colon < 0 ? EgressRule.WEB : ports(written, rest.substring(colon + 1));
        String host = colon < 0 ? rest : rest.substring(0, colon);
        EgressRule.Target target = target(written, host);
        return new EgressRule(text(target, ports, nearby), target, ports, nearby);
    }

    /** Where the port begins; an IPv6 address has one only behind brackets. */
    private static int portColon(String rest) {
        int last = rest.lastIndexOf(':');
        boolean bracketed = rest.startsWith("[");
        if (bracketed) {
            return last > rest.lastIndexOf(']') ? last : -1;
        }
        return rest.indexOf(':') == last ? last : -1;
    }

    private static Set<Integer> ports(String written, String port) {
        if (port.equals("*")) {
            return Set.of();
        }
        try {
            int number = Integer.parseInt(port);
            if (number >= 1 && number <= PORT_MOST && Integer.toString(number).equals(port)) {
                return Set.of(number);
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw wrong(written, "'" + port + "' is no port");
    }

    private static EgressRule.Target target(String written, String host) {
        if (host.startsWith(BENEATH)) {
            if (Host.parse(host.substring(BENEATH.length())) instanceof Host.Name apex) {
                return new EgressRule.Beneath(apex);
            }
            throw wrong(written, "there is nothing beneath an address");
        }
        Host exact = Host.parse(host);
        if (exact instanceof Host.Address(var address)) {
            AddressKind kind = AddressKind.of(address);
            if (kind == AddressKind.UNSPECIFIED || kind == AddressKind.MULTICAST) {
                throw wrong(written, exact.text() + " is " + kind.words());
            }
        }
        return new EgressRule.Exactly(exact);
    }

    private static CortexException wrong(String written, String why) {
        return CortexException.of(ErrorCode.INVALID_ARGUMENT, "'" + written + "' is no rule: " + why, "write " + FORM);
    }

    private static String text(EgressRule.Target target, Set<Integer> ports, boolean nearby) {
        String port = "";
        if (ports.isEmpty()) {
            port = ":*";
        } else if (ports.size() == 1) {
            port = ":" + ports.iterator().next();
        }
        return switch (target) {
                    case EgressRule.Exactly(Host host) -> address(host);
                    case EgressRule.Beneath(Host.Name apex) -> BENEATH + apex.text();
                }
                + port
                + (nearby ? NEARBY : "");
    }

    /** A host as it stands before a port. */
    static String address(Host host) {
        return host.text().indexOf(':') >= 0 ? "[" + host.text() + "]" : host.text();
    }

    /** What a person would write to allow that connection. */
    static String allowing(Host host, int port) {
        return EgressRule.WEB.contains(port) ? address(host) : address(host) + ":" + port;
    }
}
