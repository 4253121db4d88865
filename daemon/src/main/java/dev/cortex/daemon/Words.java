package dev.cortex.daemon;

import dev.cortex.protocol.error.CortexException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** An error for people: what happened, and indented below it why and the next step. */
final class Words {
    private Words() {}

    /** Whether somebody asked for JSON, even in words that are otherwise wrong. */
    static boolean wantsJson(String[] words) {
        return List.of(words).contains("--json");
    }

    /** The same in the envelope of every command's {@code --json}. */
    static String json(CortexException error) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("code", error.code().name());
        fields.put("message", error.getMessage());
        error.reason().ifPresent(reason -> fields.put("cause", reason));
        error.remedy().ifPresent(remedy -> fields.put("remedy", remedy));
        Map<String, Object> envelope = new LinkedHashMap<>();
        envelope.put("schema_version", 1);
        envelope.put("kind", "error");
        envelope.put("error", fields);
        return JsonMapper.shared().writeValueAsString(envelope);
    }

    static void print(CortexException error, PrintStream to) {
        to.println("cortex: " + error.getMessage().replace("\n", "\n  "));
        error.reason().ifPresent(reason -> to.println("  because: " + reason));
        error.remedy().ifPresent(remedy -> to.println("  " + remedy));
    }
}
