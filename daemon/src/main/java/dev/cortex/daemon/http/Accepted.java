package dev.cortex.daemon.http;

import dev.cortex.protocol.error.ErrorCode;
import java.util.Locale;
import java.util.Optional;

/** Whether a client takes what an operation answers with. */
final class Accepted {
    private Accepted() {}

    /** @throws HttpProblem 406 */
    static void require(Optional<String> accept, String type) {
        if (accept.isEmpty() || accept.get().isBlank()) {
            return;
        }
        for (String range : accept.get().toLowerCase(Locale.ROOT).split(",")) {
            if (takes(range, type)) {
                return;
            }
        }
        throw HttpProblem.of(
                406,
                ErrorCode.INVALID_ARGUMENT,
                "the answer is " + type + ", which was not asked for",
                "accept " + type);
    }

    private static boolean takes(String range, String type) {
        String[] parts = range.split(";");
        String wanted = parts[0].strip();
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].replace(" ", "");
            if (parameter.startsWith("q=0")
                    && parameter.replace("0", "").replace(".", "").equals("q=")) {
                return false;
            }
        }
        String family = type.substring(0, type.indexOf('/'));
        return wanted.equals("*/*") || wanted.equals(type) || wanted.equals(family + "/*");
    }
}
