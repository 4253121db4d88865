package dev.cortex.daemon.http;

import dev.cortex.protocol.error.CortexException;
import java.util.Optional;

/** An error as {@code application/problem+json} (RFC 9457), with the fields that every surface of ours has. */
record Problem(
        String type,
        String title,
        int status,
        String code,
        String detail,
        Optional<String> cause,
        Optional<String> remedy) {

    static final String CONTENT_TYPE = "application/problem+json";

    static Problem of(int status, CortexException error) {
        String code = error.code().name();
        return new Problem(
                "urn:cortex:error:" + code,
                title(code),
                status,
                code,
                error.getMessage(),
                error.reason(),
                error.remedy());
    }

    /** NOT_FOUND is "Not found". */
    private static String title(String code) {
        String words = code.replace('_', ' ').toLowerCase(java.util.Locale.ROOT);
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
