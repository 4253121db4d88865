package dev.cortex.cli.verb;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import java.util.List;

/** Changed files with their counts of lines, as {@code git diff --stat} has them. */
final class ChangeTable {
    private static final int BAR = 40;

    private final Output output;

    ChangeTable(Output output) {
        this.output = output;
    }

    void print(List<Json> files) {
        int width = 0;
        long most = 1;
        for (Json file : files) {
            width = Math.max(width, path(file).length());
            most = Math.max(
                    most, file.get("added").whole() + file.get("removed").whole());
        }
        long added = 0;
        long removed = 0;
        for (Json file : files) {
            added += file.get("added").whole();
            removed += file.get("removed").whole();
            output.line(" " + path(file) + " ".repeat(width - path(file).length()) + " | " + counts(file, most));
        }
        if (!files.isEmpty()) {
            output.line(" " + files.size() + (files.size() == 1 ? " file" : " files") + " changed"
                    + (added > 0 ? ", " + added + (added == 1 ? " insertion(+)" : " insertions(+)") : "")
                    + (removed > 0 ? ", " + removed + (removed == 1 ? " deletion(-)" : " deletions(-)") : ""));
        }
    }

    private String counts(Json file, long most) {
        String change = file.get("change").text();
        String risk = file.get("risk").text();
        String note = risk.isEmpty() ? "" : "  " + output.yellow(risk);
        if (file.get("binary").isTrue()) {
            return "binary, " + change + note;
        }
        long added = file.get("added").whole();
        long removed = file.get("removed").whole();
        if (change.equals("mode")) {
            return file.get("old_mode").text() + " → " + file.get("new_mode").text() + note;
        }
        double scale = most <= BAR ? 1 : (double) BAR / most;
        return (added + removed) + " " + output.green("+".repeat(bar(added, scale)))
                + output.red("-".repeat(bar(removed, scale))) + (change.equals("modified") ? "" : " " + change) + note;
    }

    private static int bar(long lines, double scale) {
        return lines == 0 ? 0 : Math.max(1, (int) Math.round(lines * scale));
    }

    /** For people; what is no UTF-8 in base 64. */
    static String path(Json file) {
        String text = file.get("path").text();
        return text.isEmpty() ? "base64:" + file.get("path_b64").text() : Printable.of(text);
    }
}
