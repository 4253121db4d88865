package dev.cortex.cli.verb;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A command in one value of a flag: words with spaces between them, or a JSON array where a word holds one itself. */
final class CommandText {
    private CommandText() {}

    /** @throws UsageException for what begins as an array and is none */
    static List<Json> words(String flag, String text) throws UsageException {
        if (text.startsWith("[")) {
            try {
                return JsonText.read(text.getBytes(StandardCharsets.UTF_8)).items();
            } catch (IOException e) {
                throw new UsageException(
                        "--" + flag + " begins as a JSON array and is none",
                        "write: --" + flag + " '[\"/bin/sh\", \"-c\", \"echo hello\"]'");
            }
        }
        List<Json> words = new ArrayList<>();
        for (String word : text.split(" ")) {
            if (!word.isEmpty()) {
                words.add(Json.of(word));
            }
        }
        return words;
    }
}
