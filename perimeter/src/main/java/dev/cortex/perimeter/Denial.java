package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.net.InetAddress;

/** Refusals in words, each with the command that would allow the same. */
final class Denial {
    private static final String NEARBY = "@private";

    private Denial() {}

    /** No rule allows it. */
    static CortexException byDefault(String sandbox, Host host, int port) {
        boolean never = host instanceof Host.Address(InetAddress address)
                && switch (AddressKind.of(address)) {
                    case METADATA, UNSPECIFIED, MULTICAST -> true;
                    default -> false;
                };
        return denied(RuleText.allowing(host, port) + " is not allowed", never ? "" : allow(sandbox, host, port, ""))
                .because("no rule (default deny)");
    }

    /** A rule allows the name, and not what it leads to. */
    static CortexException ofAddress(String sandbox, Host host, int port, InetAddress address, AddressKind kind) {
        String remedy = switch (kind) {
            case LOOPBACK, PRIVATE, SHARED, OWN -> allow(sandbox, host, port, NEARBY);
            default -> "";
        };
        String why = "it leads to " + kind.words() + ", " + new Host.Address(address).text();
        return denied(RuleText.allowing(host, port) + " is not allowed: " + why, remedy)
                .because(why);
    }

    /** What was asked for is no host. */
    static CortexException ofNoHost(CortexException why) {
        return denied(why.getMessage(), "");
    }

    private static CortexException denied(String message, String remedy) {
        return CortexException.of(ErrorCode.DENIED, message, remedy);
    }

    private static String allow(String sandbox, Host host, int port, String suffix) {
        return "cortex egress set " + sandbox + " --allow-host " + RuleText.allowing(host, port) + suffix;
    }
}
