package dev.cortex.bench.place;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Times processes by the small program {@code stopwatch}: a JVM would add the milliseconds that it takes to start one. */
public final class Stopwatch implements AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int PATIENCE_SECONDS = 60;

    private final Process process;
    private final BufferedWriter requests;
    private final BufferedReader answers;

    public Stopwatch(Path program) throws IOException {
        // In a session of its own: Ctrl-C is for the bench, which then ends it.
        process = new ProcessBuilder("setsid", program.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        requests = process.outputWriter();
        answers = process.inputReader();
    }

    /**
     * How a process went.
     *
     * @param firstMillis from before the fork to the first byte of its output
     * @param exitMillis to its end
     */
    public record Lap(double firstMillis, double exitMillis, int status, long bytes, String output, String error) {
        /** @throws IOException when it failed */
        public Lap succeeded() throws IOException {
            if (status != 0) {
                throw new IOException("status " + status + ": " + (error + output).strip());
            }
            return this;
        }

        /** @throws IOException when it printed nothing, which took no time */
        public double toFirstByte() throws IOException {
            if (bytes == 0) {
                throw new IOException("it printed nothing: " + error.strip());
            }
            return firstMillis;
        }
    }

    public Lap time(List<String> argv) throws IOException {
        return time(argv, Map.of(), "");
    }

    /** @param environment beside this process's; @param input a file to feed through a pipe, or empty */
    public synchronized Lap time(List<String> argv, Map<String, String> environment, String input) throws IOException {
        ObjectNode request = JSON.createObjectNode();
        ArrayNode words = request.putArray("argv");
        argv.forEach(words::add);
        if (!environment.isEmpty()) {
            Map<String, String> whole = new TreeMap<>(System.getenv());
            whole.putAll(environment);
            ArrayNode list = request.putArray("env");
            whole.forEach((name, value) -> list.add(name + "=" + value));
        }
        request.put("input", input).put("seconds", PATIENCE_SECONDS);
        requests.write(JSON.writeValueAsString(request) + "\n");
        requests.flush();
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the stopwatch has ended");
        }
        JsonNode answer = JSON.readTree(line);
        return new Lap(
                answer.path("first").asLong() / 1e6,
                answer.path("exit").asLong() / 1e6,
                answer.path("status").asInt(),
                answer.path("bytes").asLong(),
                answer.path("output").asString(""),
                answer.path("error").asString(""));
    }

    @Override
    public void close() throws IOException {
        requests.close();
        process.destroy();
    }
}
