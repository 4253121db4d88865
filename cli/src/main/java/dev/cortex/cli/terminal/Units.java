package dev.cortex.cli.terminal;

import dev.cortex.cli.command.UsageException;

/** Times and sizes as people write and read them. Sizes are powers of two, whatever their letter. */
public final class Units {
    private static final String SIZES = "BKMGT";

    private Units() {}

    /**
     * Milliseconds of {@code 500ms}, {@code 5s}, {@code 1.5m}, {@code 2h}, {@code 1d}; a plain number counts seconds.
     *
     * @param what named when it is none
     */
    public static long millis(String what, String text) throws UsageException {
        int end = text.length();
        while (end > 0 && Character.isLetter(text.charAt(end - 1))) {
            end--;
        }
        double unit = switch (text.substring(end)) {
            case "ms" -> 1;
            case "", "s" -> 1_000;
            case "m", "min" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            default -> 0;
        };
        double value = number(text.substring(0, end)) * unit;
        if (!(value >= 1) || value > Long.MAX_VALUE / 2.0) {
            throw new UsageException(
                    what + " '" + text + "' is no time", "write a number with ms, s, m, h or d, such as 5s");
        }
        return Math.round(value);
    }

    /** Bytes of {@code 512M}, {@code 2G}, {@code 1.5GiB}, {@code 1048576}. */
    public static long bytes(String what, String text) throws UsageException {
        int end = text.length();
        while (end > 0 && Character.isLetter(text.charAt(end - 1))) {
            end--;
        }
        String suffix = text.substring(end).toUpperCase(java.util.Locale.ROOT);
        int power = suffix.isEmpty() ? 0 : SIZES.indexOf(suffix.charAt(0));
        String rest = suffix.isEmpty() ? "" : suffix.substring(1);
        boolean known = power >= 0 && (rest.isEmpty() || (power > 0 && (rest.equals("B") || rest.equals("IB"))));
        double value = known ? number(text.substring(0, end)) * Math.pow(1024, power) : -1;
        if (!(value >= 1) || value > Long.MAX_VALUE / 2.0) {
            throw new UsageException(
                    what + " '" + text + "' is no size", "write a number with K, M, G or T, such as 512M");
        }
        return Math.round(value);
    }

    /** A positive number such as {@code 1.5}. */
    public static double count(String what, String text) throws UsageException {
        double value = number(text);
        if (!(value > 0) || value > Integer.MAX_VALUE) {
            throw new UsageException(what + " '" + text + "' is no number above 0", "write such as 2 or 1.5");
        }
        return value;
    }

    /** A whole number of at least {@code least}. */
    public static long whole(String what, String text, long least) throws UsageException {
        try {
            long value = Long.parseLong(text);
            if (value >= least) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(
                what + " '" + text + "' is no whole number from " + least, "write such as " + Math.max(least, 20));
    }

    private static double number(String text) {
        for (int i = 0; i < text.length(); i++) {
            if ("0123456789.".indexOf(text.charAt(i)) < 0) {
                return -1;
            }
        }
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** As in 88M, 1.2G, 512B. */
    public static String size(long bytes) {
        double value = bytes;
        int power = 0;
        while (value >= 1024 && power < SIZES.length() - 1) {
            value /= 1024;
            power++;
        }
        String digits = value < 10 && power > 0 ? oneDecimal(value) : Long.toString(Math.round(value));
        return digits + SIZES.charAt(power);
    }

    private static String oneDecimal(double value) {
        long tenths = Math.round(value * 10);
        return tenths % 10 == 0 ? Long.toString(tenths / 10) : tenths / 10 + "." + tenths % 10;
    }

    /** As in 12s, 5m, 2h, 6d. */
    public static String age(long millis) {
        long seconds = Math.max(0, millis / 1000);
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return seconds / 60 + "m";
        }
        if (seconds < 48 * 3600) {
            return seconds / 3600 + "h";
        }
        return seconds / 86_400 + "d";
    }

    /** A length of time, in its two largest units, as in 1h 30m; milliseconds below a second. */
    public static String time(long millis) {
        if (millis < 1000) {
            return Math.max(0, millis) + "ms";
        }
        long[] sizes = {86_400, 3_600, 60, 1};
        String units = "dhms";
        long seconds = millis / 1000;
        int first = 0;
        while (seconds < sizes[first]) {
            first++;
        }
        String text = seconds / sizes[first] + units.substring(first, first + 1);
        long rest = first + 1 < sizes.length ? seconds % sizes[first] / sizes[first + 1] : 0;
        return rest > 0 ? text + " " + rest + units.charAt(first + 1) : text;
    }

    public static String count(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
