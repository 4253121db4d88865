package dev.cortex.perimeter;

import dev.cortex.sandbox.perimeter.Decision;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Decisions as lines of JSON. Fields that are empty are left out. */
final class DecisionLines {
    private static final JsonMapper JSON = JsonMapper.shared();

    private DecisionLines() {}

    static String write(Decision decision) {
        ObjectNode line = JSON.createObjectNode();
        line.put("at", decision.at().toString());
        line.put("verdict", decision.verdict().word());
        line.put("host", decision.host());
        line.put("port", decision.port());
        put(line, "via", decision.via());
        put(line, "method", decision.method());
        put(line, "rule", decision.rule());
        put(line, "reason", decision.reason());
        put(line, "remedy", decision.remedy());
        put(line, "program", decision.program());
        put(line, "session", decision.session());
        if (decision.count() > 1) {
            line.put("count", decision.count());
        }
        return line.toString();
    }

    private static void put(ObjectNode line, String name, String value) {
        if (!value.isEmpty()) {
            line.put(name, value);
        }
    }

    /** Empty for a line that was torn by a crash. */
    static Optional<Decision> read(String line) {
        try {
            JsonNode node = JSON.readTree(line);
            return Optional.of(new Decision(
                    Instant.parse(text(node, "at")),
                    Decision.Verdict.valueOf(text(node, "verdict").toUpperCase(Locale.ROOT)),
                    text(node, "host"),
                    node.path("port").asInt(0),
                    text(node, "via"),
                    text(node, "method"),
                    text(node, "rule"),
                    text(node, "reason"),
                    text(node, "remedy"),
                    text(node, "program"),
                    text(node, "session"),
                    node.path("count").asLong(1)));
        } catch (JacksonException | DateTimeParseException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String text(JsonNode node, String name) {
        return node.path(name).asString("");
    }
}
