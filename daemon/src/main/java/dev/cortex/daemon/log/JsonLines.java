package dev.cortex.daemon.log;

import java.time.Instant;

/** Writes one JSON object as a line. By hand: a log must not need what it may have to report on. */
final class JsonLines {
    private final StringBuilder line = new StringBuilder(256).append('{');

    JsonLines add(String name, String value) {
        begin(name);
        line.append('"');
        escape(value);
        line.append('"');
        return this;
    }

    JsonLines add(String name, long value) {
        begin(name);
        line.append(value);
        return this;
    }

    JsonLines add(String name, Instant value) {
        return add(name, value.toString());
    }

    private void begin(String name) {
        if (line.length() > 1) {
            line.append(',');
        }
        line.append('"').append(name).append("\":");
    }

    private void escape(String value) {
        for (int i = 0; i < value.length(); i++) {
            char character = value.charAt(i);
            switch (character) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                default -> {
                    if (character < ' ' || Character.isSurrogate(character) || character == 0x7f) {
                        line.append("\\u");
                        String hex = Integer.toHexString(character);
                        line.append("0000", hex.length(), 4).append(hex);
                    } else {
                        line.append(character);
                    }
                }
            }
        }
    }

    String end() {
        return line.append("}\n").toString();
    }
}
