package dev.cortex.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words of {@code ./dev}. */
final class DevScriptTest {

    private record Outcome(int status, String output) {}

    @Test
    void helpHasALineForEachVerb() throws Exception {
        Outcome help = dev("help");
        assertThat(help.status()).isZero();
        for (String verb : List.of(
                "build",
                "test",
                "check",
                "fmt",
                "generate",
                "aot",
                "bench",
                "specify",
                "run",
                "install",
                "dist",
                "clean")) {
            assertThat(help.output().lines()).anyMatch(line -> line.startsWith("  " + verb + " "));
        }
    }

    @ParameterizedTest
    @CsvSource({"buidl, build", "tset, test", "format, fmt", "chekc, check", "instal, install"})
    void aTypoIsAnsweredByTheNearestVerb(String typo, String verb) throws Exception {
        Outcome outcome = dev(typo);
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.output()).contains("did you mean: ./dev " + verb);
    }

    private static Outcome dev(String... words) throws IOException, InterruptedException {
        List<String> command = Stream.concat(
                        Stream.of(ScriptFixture.repository().resolve("dev").toString()), Stream.of(words))
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }
}
