package dev.cortex.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SPECIFICATION.md says what there is: tests that exist, measures that the bench has, figures that a run gave. */
final class SpecificationTest {
    private static final Path ROOT = ScriptFixture.repository();

    @TempDir
    Path folder;

    private static String text() throws IOException {
        return Files.readString(ROOT.resolve("SPECIFICATION.md"));
    }

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyTestThatItNamesIsThere() throws IOException {
        Set<String> there = new TreeSet<>();
        for (String module :
                List.of("cli", "daemon", "drivers", "e2e", "engine", "images", "perimeter", "sandbox", "testkit")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src"))) {
                files.map(file -> file.getFileName().toString().replaceFirst("\\.java$", ""))
                        .forEach(there::add);
            }
        }
        assertThat(found("`([A-Z]\\w+(?:Test|IT|Contract))`", text()))
                .isNotEmpty()
                .isSubsetOf(there);
    }

    @Test
    void everyMeasureThatItNamesIsTheBenchs() throws IOException {
        Map<String, String> suite = new HashMap<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("bench/src/main/java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                suite.put(file.toString(), Files.readString(file));
            }
        }
        Set<String> measures = found("--only (\\w+)`", text());
        assertThat(measures).isNotEmpty();
        assertThat(found("<!-- (\\w+);", text())).isSubsetOf(measures);
        String code = String.join("\n", suite.values());
        assertThat(measures).allSatisfy(measure -> assertThat(code).contains('"' + measure));
    }

    @Test
    void whatARunMeasuredIsFilledInAndNothingElse() throws Exception {
        Path bench = Files.writeString(folder.resolve("bench.json"), """
                {"schema_version": 1, "kind": "bench",
                 "machine": {"time": "2026-01-01T00:00:00Z", "revision": "abc", "processors": "2 x Some", "kernel": "6.18",
                             "load_before": "0.1", "load_after": "0.2"},
                 "measures": [{"id": "exec", "promises": [
                   {"contender": "cortex crun", "promise": "≤ 3 ms", "standing": "met", "figure": 2.5, "low": 2.25, "high": 12.75},
                   {"contender": "cortex crun", "promise": "≤ 1,000 ms", "standing": "unknown"}]}]}
                """);
        Path page = Files.copy(ROOT.resolve("SPECIFICATION.md"), folder.resolve("SPECIFICATION.md"));
        String classPath =
                Files.readString(ROOT.resolve("out/lib/daemon.classpath")).strip();
        Process filling = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        ROOT.resolve("scripts/Specification.java").toString(),
                        bench.toString(),
                        page.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("words").toFile())
                .start();
        assertThat(filling.waitFor(60, TimeUnit.SECONDS))
                .as("the filling's end")
                .isTrue();
        assertThat(Files.readString(folder.resolve("words"))).contains("1 of 1 promises of the run");
        String key = "<!-- exec; cortex crun; ≤ 3 ms -->";
        assertThat(changed(text(), Files.readString(page))).hasSize(2).satisfies(lines -> {
            assertThat(lines.get(0)).contains("revision abc", "load before 0.1");
            assertThat(lines.get(1)).contains(key + "2.50 (2.25 to 12.8), met | `./dev bench --only exec`");
        });
    }

    private static List<String> changed(String before, String after) {
        List<String> old = before.lines().toList();
        return after.lines().filter(line -> !old.contains(line)).toList();
    }

    @Test
    void aCellHoldsAFigureOrSaysThatThereIsNone() throws IOException {
        List<String> cells = Pattern.compile("<!-- [^;|]+; [^;|]+; [^;|]+ -->([^|]*)\\|")
                .matcher(text())
                .results()
                .map((MatchResult match) -> match.group(1).strip())
                .toList();
        assertThat(cells)
                .isNotEmpty()
                .allSatisfy(cell -> assertThat(cell)
                        .matches("not measured yet|[\\d.]+ \\([\\d.]+ to [\\d.]+\\), (met|missed|unknown)"));
    }
}
