package dev.cortex.guest;

/** Words of a guest's, made fit to be shown: short, and without characters that would command a terminal. */
final class GuestText {
    private GuestText() {}

    static String clean(String words, int most) {
        StringBuilder clean = new StringBuilder(Math.min(words.length(), most));
        words.codePoints()
                .limit(most)
                .forEach(character -> clean.appendCodePoint(isShown(character) ? character : '?'));
        return clean.toString();
    }

    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            // Controls, and marks that reorder what stands around them.
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
