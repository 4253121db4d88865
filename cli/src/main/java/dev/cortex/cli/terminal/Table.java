package dev.cortex.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Columns as wide as their widest cell, two spaces apart; the last one as wide as it likes. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... head) {
        rows.add(List.of(head));
    }

    public void row(String... cells) {
        rows.add(List.of(cells));
    }

    /**
     * @param width of the window; what does not fit is cut off at the last column, 0 for no limit
     */
    public List<String> lines(int width) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(
                        widths[i], row.get(i).codePointCount(0, row.get(i).length()));
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            lines.add(line(row, widths, width));
        }
        return lines;
    }

    private static String line(List<String> row, int[] widths, int width) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            String cell = row.get(i);
            line.append(cell);
            if (i + 1 < row.size()) {
                line.append(" ".repeat(widths[i] - cell.codePointCount(0, cell.length()) + 2));
            }
        }
        String text = line.toString().stripTrailing();
        if (width > 1 && text.codePointCount(0, text.length()) > width) {
            return text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
        }
        return text;
    }
}
