package dev.cortex.daemon.settings;

import dev.cortex.daemon.log.LogLimits;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What is said of the log: {@code CORTEX_LOG_SIZE} before {@code daemon.log-size}, and so on.
 *
 * @param problems gets each that is wrong, with what would be right
 */
record LogSettings(Map<String, String> environment, HomeFile file, List<String> problems) {
    /** Below this a rotation would be made every few lines. */
    private static final long LEAST_BYTES = 64L << 10;

    private static final long MOST_BYTES = 1L << 40;
    private static final long MOST_FILES = 99;

    /** A hundred years. */
    private static final long MOST_HOURS = 100L * 365 * 24;

    private static final String SIZES = "BKMGT";

    LogLimits resolve() {
        LogLimits defaults = LogLimits.DEFAULT;
        long bytes = value(
                "log-size",
                "a size from 64K to 1T, such as 16M",
                LogSettings::bytes,
                LEAST_BYTES,
                MOST_BYTES,
                defaults.fileBytes());
        long files = value(
                "log-files",
                "a whole number from 0 to 99, such as 7",
                LogSettings::whole,
                0,
                MOST_FILES,
                defaults.files());
        long hours = value(
                "log-age",
                "hours or days from 1h to 36500d, such as 14d",
                LogSettings::hours,
                1,
                MOST_HOURS,
                defaults.age().toHours());
        return new LogLimits(bytes, (int) files, Duration.ofHours(hours));
    }

    private interface Reading {
        /** A negative number where the text is none of its kind. */
        long of(String text);
    }

    private long value(String name, String right, Reading reading, long least, long most, long otherwise) {
        String variable = "CORTEX_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
        Optional<String> said = Optional.ofNullable(environment.get(variable)).filter(text -> !text.isEmpty());
        String source = said.isPresent() ? variable : "daemon." + name + " in " + file.path();
        Optional<String> text = said.or(() -> file.ofDaemon(name));
        if (text.isEmpty()) {
            return otherwise;
        }
        long value = reading.of(text.get().strip());
        if (value < least || value > most) {
            problems.add(source + ": '" + text.get() + "' is not right; write " + right);
            return otherwise;
        }
        return value;
    }

    private static long bytes(String text) {
        String upper = text.toUpperCase(Locale.ROOT).replaceFirst("(?<=[KMGT])(IB|B)$", "");
        int unit = upper.isEmpty() ? -1 : SIZES.indexOf(upper.charAt(upper.length() - 1));
        long number = whole(unit < 0 ? upper : upper.substring(0, upper.length() - 1));
        long size = 1L << (10 * Math.max(unit, 0));
        return number < 0 || number > Long.MAX_VALUE / size ? -1 : number * size;
    }

    private static long hours(String text) {
        long number = text.isEmpty() ? -1 : whole(text.substring(0, text.length() - 1));
        if (number < 0 || number > MOST_HOURS) {
            return -1;
        }
        return switch (text.charAt(text.length() - 1)) {
            case 'h' -> number;
            case 'd' -> number * 24;
            default -> -1;
        };
    }

    private static long whole(String text) {
        try {
            return text.chars().allMatch(Character::isDigit) ? Long.parseLong(text) : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
