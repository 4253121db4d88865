package dev.cortex.cli.command;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One argument as it was given: bytes, which need not be text. */
public final class Word {
    private final byte[] bytes;
    private final String text;
    private final boolean exact;

    private Word(byte[] bytes, String text, boolean exact) {
        this.bytes = bytes;
        this.text = text;
        this.exact = exact;
    }

    public static Word of(byte[] bytes) {
        for (byte b : bytes) {
            if (b < 0) {
                return decoded(bytes);
            }
        }
        return new Word(bytes, new String(bytes, StandardCharsets.ISO_8859_1), true);
    }

    public static Word of(String text) {
        return new Word(text.getBytes(StandardCharsets.UTF_8), text, true);
    }

    private static Word decoded(byte[] bytes) {
        try {
            return new Word(
                    bytes,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString(),
                    true);
        } catch (CharacterCodingException e) {
            return new Word(bytes, new String(bytes, StandardCharsets.UTF_8), false);
        }
    }

    /** The bytes; the caller does not change them. */
    public byte[] bytes() {
        return bytes;
    }

    /** As text; what is not UTF-8 shows as replacement characters. */
    public String text() {
        return text;
    }

    /** Whether {@link #text} says it all. */
    public boolean isText() {
        return exact;
    }

    /** What follows the first {@code count} bytes. */
    public Word from(int count) {
        return of(Arrays.copyOfRange(bytes, count, bytes.length));
    }

    /** The first {@code count} bytes. */
    public Word upTo(int count) {
        return of(Arrays.copyOf(bytes, count));
    }

    /** Where that ASCII character is first, or -1. */
    public int indexOf(char ascii) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == ascii) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Word word && Arrays.equals(bytes, word.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return text;
    }
}
