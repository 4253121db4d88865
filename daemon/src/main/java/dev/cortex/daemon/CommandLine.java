package dev.cortex.daemon;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.error.Nearest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The words behind {@code cortex serve} and {@code cortex doctor}.
 *
 * @param flags that were given and take no value
 * @param values of those that take one
 */
record CommandLine(Set<String> flags, Map<String, String> values) {
    /** Accepted everywhere. */
    private static final Set<String> EVERYWHERE = Set.of("--help", "-h", "--yes", "-y", "--json");

    private static final Set<String> WITH_VALUE = Set.of("--home", "--color");

    /**
     * @param verb which the launcher script passes on in front of, or among, the flags
     * @throws CortexException INVALID_ARGUMENT with every word that is not known
     */
    static CommandLine parse(String verb, String[] words, Set<String> flags, Set<String> valued) {
        Set<String> given = new HashSet<>();
        Map<String, String> values = new HashMap<>();
        List<String> problems = new ArrayList<>();
        boolean verbSeen = false;
        Set<String> known = new TreeSet<>(flags);
        known.addAll(valued);
        known.addAll(EVERYWHERE);
        known.addAll(WITH_VALUE);
        Optional<String> nearest = Optional.empty();
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            String name = equals < 0 ? word : word.substring(0, equals);
            if (WITH_VALUE.contains(name) || valued.contains(name)) {
                if (equals >= 0) {
                    values.put(name, word.substring(equals + 1));
                } else if (i + 1 < words.length) {
                    values.put(name, words[++i]);
                } else {
                    problems.add(name + " needs a value");
                }
            } else if (EVERYWHERE.contains(word) || flags.contains(word)) {
                given.add(word);
            } else if (!verbSeen && word.equals(verb)) {
                verbSeen = true;
            } else {
                problems.add(verb + " does not take '" + word + "'");
                if (nearest.isEmpty()) {
                    nearest = Nearest.of(name, known);
                }
            }
        }
        if (!problems.isEmpty()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    String.join("\n", problems),
                    nearest.isPresent() ? "did you mean: " + nearest.get() : "see: cortex " + verb + " --help");
        }
        return new CommandLine(given, values);
    }

    boolean has(String flag) {
        return flags.contains(flag);
    }

    boolean wantsHelp() {
        return has("--help") || has("-h");
    }

    /** {@code --yes}, or what stands for it where nobody sits at a terminal. */
    boolean consents(Map<String, String> environment) {
        return has("--yes") || has("-y") || "true".equals(environment.get("CI"));
    }

    Optional<String> value(String flag) {
        return Optional.ofNullable(values.get(flag));
    }
}
