package dev.cortex.bench.against;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A clone of this repository, as it is committed, is held against its own revision, and then again with two milliseconds
 * of sleep in each exec. It says nothing of how fast either is.
 */
@Tag("slow")
final class AgainstIT {
    /** A build of each side and some rounds; a clone's first build takes minutes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    private static final String EXEC = "    private Exec.Result exec(Call<Exec.Request> call) {\n";
    private static final String SLEEP =
            "        try {\n            Thread.sleep(2);\n        } catch (InterruptedException e) {\n"
                    + "            Thread.currentThread().interrupt();\n        }\n";

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path folder;

    private record Outcome(int status, String output) {}

    @Test
    void twoMillisecondsInExecAreReportedAndTheSameRevisionIsNot() throws Exception {
        Path repository = Path.of(System.getProperty("cortex.install"))
                .resolveSibling(".")
                .normalize();
        Path clone = folder.resolve("clone");
        assertThat(run(
                        folder,
                        "git",
                        "-c",
                        "safe.directory=*",
                        "clone",
                        "--quiet",
                        repository.toString(),
                        clone.toString()))
                .matches(outcome -> outcome.status() == 0);

        Outcome same = bench(clone);
        assertThat(same.output()).contains("no regression");
        assertThat(same.status()).as(same.output()).isZero();

        Path handlers = clone.resolve("engine/src/main/java/dev/cortex/engine/handler/SessionHandlers.java");
        String source = Files.readString(handlers);
        assertThat(source).contains(EXEC);
        Files.writeString(handlers, source.replace(EXEC, EXEC + SLEEP));
        Outcome slower = bench(clone);
        assertThat(slower.output()).contains("regression: exec");
        assertThat(slower.status()).as(slower.output()).isEqualTo(1);
    }

    private static Outcome bench(Path clone) throws IOException, InterruptedException {
        return run(clone, "./dev", "bench", "--against", "HEAD", "--only", "exec");
    }

    private static Outcome run(Path folder, String... words) throws IOException, InterruptedException {
        Path output = Files.createTempFile("cortex-against", ".out");
        try {
            ProcessBuilder builder = new ProcessBuilder(Stream.of(words).toList())
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("CORTEX_") || name.startsWith("MAVEN_"));
            Process process = builder.start();
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroy();
                throw new AssertionError(List.of(words) + " did not end: " + Files.readString(output));
            }
            return new Outcome(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
        } finally {
            Files.delete(output);
        }
    }
}
