package dev.cortex.engine.handler;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Session ids that follow from an idempotency key. */
final class SessionKeys {
    private static final int DIGITS = 16;

    private SessionKeys() {}

    static String id(String sandbox, String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest((sandbox + "\0" + key).getBytes(StandardCharsets.UTF_8));
            return "s_" + HexFormat.of().formatHex(hash).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
