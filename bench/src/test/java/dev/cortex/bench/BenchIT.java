package dev.cortex.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The bench itself, on what is here: everything of ours is measured without a failure, and nothing of it is left. */
@Tag("slow")
final class BenchIT {
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    @TempDir
    Path folder;

    @Test
    void theShortFormMeasuresCortexAndTheBareMechanismAndLeavesNothing() throws Exception {
        Set<Path> before = temporary();
        Path json = folder.resolve("bench.json");
        Path output = folder.resolve("output");
        Process process = bench(output, json);
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as(Files.readString(output))
                .isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();

        Map<String, Integer> measured = new HashMap<>();
        for (JsonNode measure :
                new JsonMapper().readTree(Files.readString(json)).path("measures")) {
            for (JsonNode contender : measure.path("contenders")) {
                String name = contender.path("contender").asString("");
                measured.put(
                        measure.path("id").asString("") + " " + name,
                        contender.path("n").asInt());
                if (name.startsWith("cortex") || name.startsWith("bare") || name.equals("C relay")) {
                    assertThat(contender.path("failures").asInt())
                            .as(contender.path("words").toString())
                            .isZero();
                }
            }
        }
        assertThat(measured)
                .allSatisfy((name, n) -> {
                    if (name.contains(" cortex") || name.contains(" bare") || name.endsWith("C relay")) {
                        assertThat(n).as(name).isPositive();
                    }
                })
                .containsKeys("create bare crun", "create bare runc", "create bare runsc", "create cortex crun")
                .containsKeys("exec cortex runsc", "stdout C relay", "many daemon with 100", "recovery exec answered");
        assertThat(temporary()).as("folders of the bench").isSubsetOf(before);
    }

    private static Set<Path> temporary() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/tmp"))) {
            return all.filter(path -> path.getFileName().toString().startsWith("cortex-bench"))
                    .collect(Collectors.toSet());
        }
    }

    /** Without consent: peers that are not installed are left out. */
    private static Process bench(Path output, Path json) throws IOException {
        Path repository = Path.of(System.getProperty("cortex.install"))
                .resolveSibling(".")
                .normalize();
        ProcessBuilder builder = new ProcessBuilder("./dev", "bench", "--short", "--json", json.toString())
                .directory(repository.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CORTEX_") || name.startsWith("MAVEN_"));
        builder.environment().remove("CI");
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }
}
