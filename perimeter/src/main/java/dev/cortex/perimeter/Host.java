package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.net.IDN;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a connection goes, in the one form in which rules compare it: a name in lower case and ASCII without a final dot,
 * or an address. What some program would take for an address and another for a name is neither.
 */
sealed interface Host {
    /** As it is shown and written in rules; an IPv6 address without brackets. */
    String text();

    record Name(String text) implements Host {}

    record Address(InetAddress address) implements Host {
        @Override
        public String text() {
            return address instanceof Inet6Address wide ? AddressText.of(wide) : address.getHostAddress();
        }
    }

    /** RFC 1035, in the form with dots. */
    int NAME_CHARACTERS = 253;

    /**
     * Reads a host as a program or a person writes it.
     *
     * @throws CortexException INVALID_ARGUMENT when it is none
     */
    static Host parse(String written) {
        return Parsing.parse(written);
    }

    /** How the text becomes a host. */
    final class Parsing {
        private static final Pattern LABEL = Pattern.compile("[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?");

        /** A last label of which inet_aton and browsers would make a number. */
        private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");

        private static final Pattern PART = Pattern.compile("0|[1-9][0-9]{0,2}");
        private static final int PART_MOST = 255;
        private static final int PARTS = 4;

        private Parsing() {}

        private static Host parse(String written) {
            if (written.indexOf(':') >= 0 || written.startsWith("[")) {
                return new Address(ipv6(written));
            }
            String name = withoutFinalDot(ascii(written).toLowerCase(Locale.ROOT));
            String[] labels = name.split("\\.", -1);
            if (name.length() > NAME_CHARACTERS) {
                throw none(written);
            }
            for (String label : labels) {
                if (!LABEL.matcher(label).matches()) {
                    throw none(written);
                }
            }
            if (NUMBER.matcher(labels[labels.length - 1]).matches()) {
                return new Address(ipv4(name, labels).orElseThrow(() -> none(written)));
            }
            return new Name(name);
        }

        private static String ascii(String written) {
            if (written.chars().allMatch(c -> c < 0x80)) {
                return written;
            }
            try {
                return IDN.toASCII(written);
            } catch (IllegalArgumentException e) {
                throw none(written);
            }
        }

        private static String withoutFinalDot(String name) {
            return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        }

        private static Optional<InetAddress> ipv4(String name, String[] labels) {
            boolean strict = labels.length == PARTS;
            for (String label : labels) {
                strict = strict && PART.matcher(label).matches() && Integer.parseInt(label) <= PART_MOST;
            }
            return strict ? Optional.of(InetAddress.ofLiteral(name)) : Optional.empty();
        }

        /** One that maps an IPv4 address is that address. */
        private static InetAddress ipv6(String written) {
            String inside = written.startsWith("[") && written.endsWith("]")
                    ? written.substring(1, written.length() - 1)
                    : written;
            // A zone names an interface of this machine.
            if (inside.indexOf('%') >= 0 || inside.indexOf('[') >= 0 || inside.indexOf(':') < 0) {
                throw none(written);
            }
            try {
                return InetAddress.ofLiteral(inside);
            } catch (IllegalArgumentException e) {
                throw none(written);
            }
        }

        private static CortexException none(String written) {
            String shown = written.length() <= NAME_CHARACTERS ? written : written.substring(0, NAME_CHARACTERS) + "…";
            return CortexException.of(ErrorCode.INVALID_ARGUMENT, "'" + shown + "' is no host name and no address", "");
        }
    }
}
