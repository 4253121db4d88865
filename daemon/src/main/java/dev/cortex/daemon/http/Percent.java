package dev.cortex.daemon.http;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Percent encoding of paths and queries, strict: what is not UTF-8 is refused, not replaced. */
final class Percent {
    private Percent() {}

    /** @param plus whether + stands for a blank, as in queries */
    static String decode(String encoded, boolean plus) {
        if (encoded.indexOf('%') < 0 && !(plus && encoded.indexOf('+') >= 0)) {
            return encoded;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int i = 0; i < encoded.length(); i++) {
            char character = encoded.charAt(i);
            if (character == '%') {
                bytes.write(hex(encoded, i + 1) << 4 | hex(encoded, i + 2));
                i += 2;
            } else if (character == '+' && plus) {
                bytes.write(' ');
            } else {
                bytes.writeBytes(String.valueOf(character).getBytes(StandardCharsets.UTF_8));
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw bad(encoded, "is not UTF-8; a path has a _b64 parameter for that");
        }
    }

    private static int hex(String encoded, int at) {
        int digit = at < encoded.length() ? Character.digit(encoded.charAt(at), 16) : -1;
        if (digit < 0) {
            throw bad(encoded, "has a % without two hex digits");
        }
        return digit;
    }

    private static CortexException bad(String encoded, String why) {
        return CortexException.of(
                ErrorCode.INVALID_ARGUMENT, "'" + encoded + "' " + why, "encode the path and the query in UTF-8");
    }
}
