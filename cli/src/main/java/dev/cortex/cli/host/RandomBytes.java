package dev.cortex.cli.host;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Random bytes from the kernel itself: Java's own generator takes longer to load than a whole command. */
public final class RandomBytes {
    private RandomBytes() {}

    private static byte[] of(int count) {
        try (FileInputStream random = new FileInputStream("/dev/urandom")) {
            return random.readNBytes(count);
        } catch (IOException e) {
            throw new UncheckedIOException("reading /dev/urandom", e);
        }
    }

    /** That many random digits of 0-9a-z. */
    public static String digits(int count) {
        StringBuilder digits = new StringBuilder(count);
        while (digits.length() < count) {
            for (byte b : of(count + 8)) {
                // 252 is the largest multiple of 36: without what lies above, each digit is as likely as the others.
                if ((b & 0xff) < 252 && digits.length() < count) {
                    digits.append("0123456789abcdefghijklmnopqrstuvwxyz".charAt((b & 0xff) % 36));
                }
            }
        }
        return digits.toString();
    }

    public static String sessionId() {
        return "s_" + digits(16);
    }
}
