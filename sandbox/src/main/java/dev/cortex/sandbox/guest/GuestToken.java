package dev.cortex.sandbox.guest;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The 32 bytes that the host proves itself with; printed nowhere. */
public record GuestToken(String hex) {
    /** Before Initialize. */
    public static final GuestToken NONE = new GuestToken("0".repeat(64));

    public GuestToken {
        if (hex.length() != 64) {
            throw new IllegalArgumentException("a guest token has 32 bytes");
        }
        HexFormat.of().parseHex(hex);
    }

    public static GuestToken random(SecureRandom random) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        return new GuestToken(HexFormat.of().formatHex(bytes));
    }

    public byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }

    @Override
    public String toString() {
        return "GuestToken[…]";
    }
}
