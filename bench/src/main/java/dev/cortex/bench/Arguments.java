package dev.cortex.bench;

import dev.cortex.bench.measure.Length;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The words behind {@code ./dev bench}.
 *
 * @param only ids of measures; empty: all
 * @param soak how long many clients go on instead of measuring
 * @param json where the JSON goes; empty: a file of its own in {@code out/bench}
 */
record Arguments(
        boolean help, boolean list, Length length, List<String> only, Optional<Duration> soak, Optional<Path> json) {
    static final String USAGE = """
            Usage: ./dev bench [--short] [--only NAME...] [--json FILE]
                   ./dev bench --against REV [--short] [--only NAME...] [--json FILE]
                   ./dev bench --soak [MINUTES]
                   ./dev bench [--against REV] --list

            Measures Cortex beside the bare mechanism and its peers on this machine, and says which promise is met.
            A whole run takes about 20 minutes and wants a quiet machine; bench/README.md says how to read the table.

              --short           under 3 minutes: fewer rounds, at most 100 sandboxes
              --only NAME...    these measures alone
              --json FILE       the JSON goes there (otherwise to out/bench/)
              --against REV     build that revision too, run both side by side, and say what has become slower
              --soak [MINUTES]  16 clients at full speed (default 20): tails by the minute, leaks, errors
              --list            name the measures
              --yes             agree to installing docker.io, bubblewrap and tinyproxy
              --help            this text

            Status: 0 measured, whether promises were met or not; 1 a measure failed, something has become slower, or
            the soak was not stood; 2 usage.

            Examples:
              ./dev bench
              ./dev bench --short
              ./dev bench --only exec command --json exec.json
              ./dev bench --against main --short
            """;

    /** @throws IllegalArgumentException with words for people */
    static Arguments parse(String[] words) {
        boolean help = false;
        boolean list = false;
        Length length = Length.WHOLE;
        List<String> only = new ArrayList<>();
        Optional<Duration> soak = Optional.empty();
        Optional<Path> json = Optional.empty();
        for (int i = 0; i < words.length; i++) {
            switch (words[i]) {
                case "--help", "-h" -> help = true;
                case "--list" -> list = true;
                case "--short" -> length = Length.SHORT;
                case "--json" -> json = Optional.of(Path.of(value(words, ++i, "--json FILE")));
                case "--soak" -> {
                    boolean given = i + 1 < words.length && !words[i + 1].startsWith("-");
                    soak = Optional.of(given ? minutes(words[++i]) : DEFAULT_SOAK);
                }
                case "--only" -> {
                    only.add(value(words, ++i, "--only NAME"));
                    while (i + 1 < words.length && !words[i + 1].startsWith("-")) {
                        only.add(words[++i]);
                    }
                }
                default ->
                    throw new IllegalArgumentException("'" + words[i] + "' is not understood; see ./dev bench --help");
            }
        }
        return new Arguments(help, list, length, List.copyOf(only), soak, json);
    }

    private static final Duration DEFAULT_SOAK = Duration.ofMinutes(20);

    private static Duration minutes(String word) {
        if (!word.matches("[0-9]{1,4}") || word.matches("0+")) {
            throw new IllegalArgumentException("--soak takes minutes, 1 to 9999, and not '" + word + "'");
        }
        return Duration.ofMinutes(Long.parseLong(word));
    }

    private static String value(String[] words, int at, String usage) {
        if (at >= words.length || words[at].startsWith("-")) {
            throw new IllegalArgumentException("something is missing: " + usage);
        }
        return words[at];
    }
}
