package dev.cortex.cli.terminal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A patch on a person's terminal: in colours, and with nothing in it that moves the cursor, changes colours or the order
 * in which letters are shown. Takes bytes as they come.
 */
public final class PatchText {
    /** A longer line is no source code; the rest of it is cut off. */
    private static final int LONGEST = 64 << 10;

    private final Output output;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean inHunk;

    public PatchText(Output output) {
        this.output = output;
    }

    public void add(byte[] bytes) {
        for (byte b : bytes) {
            if (b == '\n') {
                show();
            } else if (line.size() < LONGEST) {
                line.write(b);
            }
        }
    }

    /** Shows a last line that has no end. */
    public void end() {
        if (line.size() > 0) {
            show();
        }
    }

    private void show() {
        String text = clean(line.toString(StandardCharsets.UTF_8));
        line.reset();
        output.line(colored(text));
    }

    private String colored(String text) {
        if (text.startsWith("diff --git ")) {
            inHunk = false;
            return output.bold(text);
        }
        if (text.startsWith("@@ ")) {
            inHunk = true;
            return output.dim(text);
        }
        if (!inHunk) {
            return output.bold(text);
        }
        if (text.startsWith("+")) {
            return output.green(text);
        }
        return text.startsWith("-") ? output.red(text) : text;
    }

    static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean hidden = Character.getType(c) == Character.FORMAT && c != '\u200d';
            clean.append(c != '\t' && (Character.isISOControl(c) || hidden) ? '\ufffd' : c);
        }
        return clean.toString();
    }
}
