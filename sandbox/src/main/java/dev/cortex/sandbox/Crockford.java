package dev.cortex.sandbox;

/** Crockford's base32 in lower case (https://www.crockford.com/base32.html): no i, l, o, u. */
final class Crockford {
    private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

    private Crockford() {}

    /** The lowest {@code 5 * digits} bits of (high, low), most significant digit first. */
    static String of(long high, long low, int digits) {
        char[] text = new char[digits];
        for (int i = digits - 1; i >= 0; i--) {
            text[i] = digit((int) low);
            low = (low >>> 5) | (high << 59);
            high >>>= 5;
        }
        return new String(text);
    }

    /** The digit of the lowest five bits. */
    static char digit(int bits) {
        return DIGITS.charAt(bits & 31);
    }
}
