package dev.cortex.cli.terminal;

/** ISO 8601 in UTC, as the daemon writes it. By hand: java.time's parser takes longer to load than the rest of a list. */
public final class IsoTime {
    private IsoTime() {}

    /** Milliseconds since 1970 of {@code 2026-11-29T23:07:46.123Z}; 0 where it is none. */
    public static long millis(String text) {
        try {
            long days = days(
                    Integer.parseInt(text, 0, 4, 10),
                    Integer.parseInt(text, 5, 7, 10),
                    Integer.parseInt(text, 8, 10, 10));
            long seconds = days * 86_400
                    + Integer.parseInt(text, 11, 13, 10) * 3600L
                    + Integer.parseInt(text, 14, 16, 10) * 60L
                    + Integer.parseInt(text, 17, 19, 10);
            long millis = 0;
            if (text.length() > 20 && text.charAt(19) == '.') {
                for (int i = 20; i < 23; i++) {
                    char c = i < text.length() ? text.charAt(i) : '0';
                    millis = millis * 10 + (c >= '0' && c <= '9' ? c - '0' : 0);
                }
            }
            return seconds * 1000 + millis;
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return 0;
        }
    }

    /** Days since 1970-01-01, by counting from a March so that the leap day comes last (H. Hinnant, days_from_civil). */
    private static long days(int year, int month, int day) {
        long y = month <= 2 ? year - 1 : year;
        long era = Math.floorDiv(y, 400);
        long yearOfEra = y - era * 400;
        long dayOfYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097 + dayOfEra - 719_468;
    }
}
