package dev.cortex.daemon.http;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Optional;

/**
 * Who may ask over TCP: whoever has the home's token. A page in the owner's browser that made its own name point to this
 * machine has another Host, and is refused before the token is looked at.
 *
 * @param token as in the home's file
 */
record Gate(String token) {
    private static final String SCHEME = "bearer ";

    void admit(Optional<String> host, Optional<String> authorization) {
        if (host.isEmpty() || !isLoopback(host.get())) {
            throw CortexException.of(
                    ErrorCode.DENIED,
                    "requests for the host '" + host.orElse("") + "' are not served here",
                    "ask for 127.0.0.1 or localhost");
        }
        String given = authorization.orElse("");
        boolean bearer = given.toLowerCase(Locale.ROOT).startsWith(SCHEME);
        String presented = bearer ? given.substring(SCHEME.length()).strip() : "";
        // In constant time: how long a wrong token is looked at must not tell how much of it is right.
        if (!MessageDigest.isEqual(bytes(presented), bytes(token))) {
            throw CortexException.of(
                    ErrorCode.UNAUTHENTICATED,
                    bearer ? "the token is not this home's" : "a bearer token is needed",
                    "send 'Authorization: Bearer …' with what `cortex token` prints");
        }
    }

    private static boolean isLoopback(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        int colon = name.lastIndexOf(':');
        if (colon > name.lastIndexOf(']')) {
            name = name.substring(0, colon);
        }
        return name.equals("127.0.0.1") || name.equals("localhost") || name.equals("[::1]");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "Gate[…]";
    }
}
