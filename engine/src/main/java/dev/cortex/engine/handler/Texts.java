package dev.cortex.engine.handler;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Bytes in JSON: text where it is UTF-8, else base64 in a field beside it. */
record Texts(Optional<String> text, Optional<String> base64) {
    static Texts of(byte[] bytes) {
        try {
            return new Texts(
                    Optional.of(StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString()),
                    Optional.empty());
        } catch (CharacterCodingException e) {
            return new Texts(Optional.empty(), Optional.of(Base64.getEncoder().encodeToString(bytes)));
        }
    }

    /** The same for a text that may have been cut off in the middle of a character, which is then left out. */
    static Texts ofTruncated(byte[] bytes) {
        for (int cut = 0; cut < 4 && cut <= bytes.length; cut++) {
            Texts texts = of(java.util.Arrays.copyOf(bytes, bytes.length - cut));
            if (texts.text().isPresent()) {
                return texts;
            }
        }
        return of(bytes);
    }
}
