package dev.cortex.cli.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Changes one setting in the text of a file and leaves everything else, comments included, as it is. */
final class YamlEdit {
    private YamlEdit() {}

    /**
     * @param key dotted, at most two parts
     * @param value empty removes it
     */
    static String with(String text, String key, Optional<String> value) {
        List<String> lines = new ArrayList<>(text.isEmpty() ? List.of() : List.of(text.split("\n", -1)));
        if (!lines.isEmpty() && lines.getLast().isEmpty()) {
            lines.removeLast();
        }
        int dot = key.indexOf('.');
        if (dot < 0) {
            put(lines, 0, lines.size(), "", key, value);
        } else {
            putBelow(lines, key.substring(0, dot), key.substring(dot + 1), value);
        }
        return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    }

    private static void putBelow(List<String> lines, String parent, String key, Optional<String> value) {
        int begin = find(lines, 0, lines.size(), "", parent);
        if (begin < 0) {
            if (value.isPresent()) {
                lines.add(parent + ":");
                lines.add("  " + key + ": " + quoted(value.get()));
            }
            return;
        }
        int end = begin + 1;
        while (end < lines.size() && (lines.get(end).isBlank() || lines.get(end).startsWith(" "))) {
            end++;
        }
        String indent = "  ";
        for (int i = begin + 1; i < end; i++) {
            String line = lines.get(i);
            if (!line.isBlank() && !line.strip().startsWith("#")) {
                indent = line.substring(0, line.length() - line.stripLeading().length());
                break;
            }
        }
        int before = lines.size();
        put(lines, begin + 1, end, indent, key, value);
        if (value.isEmpty() && lines.size() < before && end - begin == 2) {
            // It was the only one: an empty parent would be no setting.
            lines.remove(begin);
        }
    }

    private static void put(List<String> lines, int from, int to, String indent, String key, Optional<String> value) {
        int at = find(lines, from, to, indent, key);
        if (at >= 0 && value.isPresent()) {
            lines.set(at, indent + key + ": " + quoted(value.get()));
        } else if (at >= 0) {
            lines.remove(at);
        } else if (value.isPresent()) {
            int behind = to;
            while (behind > from && lines.get(behind - 1).isBlank()) {
                behind--;
            }
            lines.add(behind, indent + key + ": " + quoted(value.get()));
        }
    }

    private static int find(List<String> lines, int from, int to, String indent, String key) {
        for (int i = from; i < to; i++) {
            if (lines.get(i).startsWith(indent + key + ":")) {
                return i;
            }
        }
        return -1;
    }

    /** Plain where YAML takes it so, else in single quotes. */
    private static String quoted(String value) {
        boolean plain = !value.isEmpty();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            plain &= Character.isLetterOrDigit(c) || "./_-".indexOf(c) >= 0;
        }
        return plain && value.charAt(0) != '-' ? value : "'" + value.replace("'", "''") + "'";
    }
}
