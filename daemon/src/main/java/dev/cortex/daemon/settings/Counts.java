package dev.cortex.daemon.settings;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads settings that say how many there are of something. */
final class Counts {
    private final Map<String, String> environment;
    private final HomeFile file;
    private final List<String> problems;

    /** @param problems gets each value that is no number or too large */
    Counts(Map<String, String> environment, HomeFile file, List<String> problems) {
        this.environment = environment;
        this.file = file;
        this.problems = problems;
    }

    /**
     * Flag before variable before the home's file.
     *
     * @param flag as it was given
     * @param name of the setting; flag and variable derive from it
     */
    int of(String name, Optional<String> flag, int most, int byDefault) {
        String variable = "CORTEX_" + name.toUpperCase(java.util.Locale.ROOT);
        Optional<String> set = Optional.ofNullable(environment.get(variable)).filter(text -> !text.isEmpty());
        return number("--" + name, flag, most)
                .or(() -> number(variable, set, most))
                .or(() -> number("daemon." + name + " in " + file.path(), file.ofDaemon(name), most))
                .orElse(byDefault);
    }

    private Optional<Integer> number(String source, Optional<String> text, int most) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        String written = text.get().strip();
        if (written.matches("[0-9]{1,4}") && Integer.parseInt(written) <= most) {
            return Optional.of(Integer.parseInt(written));
        }
        problems.add(source + ": '" + text.get() + "' is no number of 0 to " + most + "; 0 switches it off");
        return Optional.of(0);
    }
}
