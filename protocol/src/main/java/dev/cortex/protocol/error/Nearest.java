package dev.cortex.protocol.error;

import java.util.Optional;

/** What somebody who mistyped a word most likely meant. */
public final class Nearest {
    private Nearest() {}

    /**
     * The candidate with the fewest edits to {@code typed} (a swap of neighbours counts as one); empty where none is near.
     */
    public static Optional<String> of(String typed, Iterable<String> candidates) {
        int best = Math.max(1, typed.length() / 3) + 1;
        Optional<String> nearest = Optional.empty();
        for (String candidate : candidates) {
            int distance = distance(typed, candidate);
            if (candidate.length() > 2 && candidate.startsWith(typed)) {
                distance = Math.min(distance, 1);
            }
            if (distance < best) {
                best = distance;
                nearest = Optional.of(candidate);
            }
        }
        return nearest;
    }

    /** Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
    public static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
