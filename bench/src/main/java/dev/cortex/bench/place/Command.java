package dev.cortex.bench.place;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a program to its end, untimed. */
public final class Command {
    private Command() {}

    /**
     * What it printed on both streams.
     *
     * @throws IOException when it failed or took too long, with its words
     */
    public static String run(Duration patience, Map<String, String> environment, List<String> words)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("cortex-bench", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(output.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", words) + " took longer than " + patience.toSeconds() + " s");
            }
            String said = Files.readString(output, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException(
                        String.join(" ", words) + " ended with " + process.exitValue() + ": " + said.strip());
            }
            return said;
        } finally {
            Files.deleteIfExists(output);
        }
    }

    public static String run(String... words) throws IOException, InterruptedException {
        return run(Duration.ofMinutes(2), Map.of(), List.of(words));
    }
}
