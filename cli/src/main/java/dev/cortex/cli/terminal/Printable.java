package dev.cortex.cli.terminal;

import java.util.List;

/** Words of a sandbox on a person's terminal: none of them may move the cursor or change colours. */
public final class Printable {
    private Printable() {}

    public static String of(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\t') {
                clean.append(' ');
            } else if (Character.isISOControl(c)) {
                clean.append('?');
            } else {
                clean.append(c);
            }
        }
        return clean.toString();
    }

    /** A command as a shell would take it. */
    public static String command(List<String> argv) {
        StringBuilder line = new StringBuilder();
        for (String word : argv) {
            if (!line.isEmpty()) {
                line.append(' ');
            }
            line.append(isPlain(word) ? word : "'" + of(word).replace("'", "'\\''") + "'");
        }
        return line.toString();
    }

    private static boolean isPlain(String word) {
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (!Character.isLetterOrDigit(c) && "-_./=:,@%+".indexOf(c) < 0) {
                return false;
            }
        }
        return !word.isEmpty();
    }
}
