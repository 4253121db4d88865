package dev.cortex.daemon.words;

import dev.cortex.protocol.error.CortexException;
import java.io.PrintStream;
import java.util.Arrays;

/**
 * Prints an error: for people what happened, and indented below it why and the next step; for programs an envelope.
 *
 * @param people where words for people go
 * @param programs where envelopes go
 */
public record Words(boolean json, PrintStream people, PrintStream programs) {
    /** As the words of a command line ask for it, even where they are wrong. */
    public static Words of(String... words) {
        return new Words(Arrays.asList(words).contains("--json"), System.err, System.out);
    }

    public void print(CortexException error) {
        if (json) {
            programs.println(Envelope.of(error));
            return;
        }
        people.println("cortex: " + error.getMessage().replace("\n", "\n  "));
        error.reason().ifPresent(reason -> people.println("  because: " + reason));
        error.remedy().ifPresent(remedy -> people.println("  " + remedy));
    }
}
