package dev.cortex.daemon.http;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The W3C trace context of a request: the caller's trace, or a new one.
 *
 * @param id 32 hex digits
 * @param parent the whole header as it goes on
 */
record Trace(String id, String parent) {
    private static final int LENGTH = 55;
    private static final int ID_BEGIN = 3;
    private static final int ID_END = 35;

    static Trace of(Optional<String> header) {
        return header.filter(Trace::isValid)
                .map(text -> new Trace(text.substring(ID_BEGIN, ID_END), text))
                .orElseGet(Trace::fresh);
    }

    private static Trace fresh() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        HexFormat hex = HexFormat.of();
        String id = hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong() | 1);
        return new Trace(id, "00-" + id + "-" + hex.toHexDigits(random.nextLong() | 1) + "-00");
    }

    /** {@code 00-<32 hex>-<16 hex>-<2 hex>}, in lower case and not all zeros. */
    private static boolean isValid(String text) {
        if (text.length() != LENGTH || !text.startsWith("00-")) {
            return false;
        }
        for (int i = 0; i < LENGTH; i++) {
            char character = text.charAt(i);
            boolean dash = i == 2 || i == ID_END || i == 52;
            boolean digit = (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
            if (dash ? character != '-' : !digit) {
                return false;
            }
        }
        return !text.regionMatches(ID_BEGIN, "0".repeat(32), 0, 32);
    }
}
