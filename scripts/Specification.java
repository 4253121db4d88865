import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Fills the measured column of SPECIFICATION.md from the JSON of a bench. What the run did not measure is left as it is.
 * Run by {@code ./dev specify} as a single source file, with Jackson on the class path.
 */
public final class Specification {
    private static final Pattern CELL = Pattern.compile("<!-- ([^;|]+); ([^;|]+); ([^;|]+) -->[^|\\n]*");
    private static final Pattern RUN = Pattern.compile("<!-- run -->[^\\n]*");

    /** @param words the bench's file, the specification's file */
    public static void main(String[] words) throws IOException {
        JsonNode bench = JsonMapper.shared().readTree(Files.readAllBytes(Path.of(words[0])));
        Map<String, String> measured = new HashMap<>();
        for (JsonNode measure : bench.get("measures")) {
            for (JsonNode promise : measure.get("promises")) {
                if (promise.has("figure")) {
                    String key = measure.get("id").asString() + "; " + promise.get("contender").asString() + "; "
                            + promise.get("promise").asString();
                    measured.put(key, told(promise));
                }
            }
        }
        Path file = Path.of(words[1]);
        String text = Files.readString(file);
        int[] filled = {0};
        text = CELL.matcher(text).replaceAll(cell -> {
            String key = cell.group(1) + "; " + cell.group(2) + "; " + cell.group(3);
            String figure = measured.get(key);
            filled[0] += figure == null ? 0 : 1;
            return quoted(figure == null ? cell.group() : "<!-- " + key + " -->" + figure + " ");
        });
        text = RUN.matcher(text).replaceAll((MatchResult line) -> quoted("<!-- run -->" + run(bench.get("machine"))));
        Files.writeString(file, text);
        System.err.println("specification: " + filled[0] + " of " + measured.size() + " promises of the run are in " + file);
    }

    private static String quoted(String text) {
        return java.util.regex.Matcher.quoteReplacement(text);
    }

    private static String told(JsonNode promise) {
        return number(promise.get("figure").asDouble()) + " (" + number(promise.get("low").asDouble()) + " to "
                + number(promise.get("high").asDouble()) + "), " + promise.get("standing").asString()
                + (promise.has("note") ? ", " + promise.get("note").asString() : "");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }

    private static String run(JsonNode machine) {
        return "The run: " + machine.get("time").asString() + ", revision " + machine.get("revision").asString() + ", "
                + machine.get("processors").asString() + ", kernel " + machine.get("kernel").asString()
                + ", load before " + machine.get("load_before").asString() + " and after "
                + machine.get("load_after").asString() + ".";
    }
}
