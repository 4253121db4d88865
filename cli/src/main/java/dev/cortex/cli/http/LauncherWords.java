package dev.cortex.cli.http;

import dev.cortex.cli.json.JsonText;
import java.nio.charset.StandardCharsets;

/** What the launcher said before it failed, for people. */
final class LauncherWords {
    private LauncherWords() {}

    /** Its error's message; what is no answer of its, such as a crash, as it is. */
    static String of(String output) {
        try {
            String message = JsonText.read(output.getBytes(StandardCharsets.UTF_8))
                    .get("error")
                    .get("message")
                    .text();
            return message.isEmpty() ? output : message;
        } catch (JsonText.NotJsonException e) {
            return output;
        }
    }
}
