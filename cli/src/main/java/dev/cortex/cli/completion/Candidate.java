package dev.cortex.cli.completion;

/**
 * A word that could stand there.
 *
 * @param about what is said of it, empty where nothing is
 */
public record Candidate(String word, String about) {
    public static Candidate of(String word) {
        return new Candidate(word, "");
    }
}
