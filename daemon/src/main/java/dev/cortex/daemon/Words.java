package dev.cortex.daemon;

import dev.cortex.protocol.error.CortexException;
import java.io.PrintStream;

/** An error for people: what happened, and indented below it why and the next step. */
final class Words {
    private Words() {}

    static void print(CortexException error, PrintStream to) {
        to.println("cortex: " + error.getMessage().replace("\n", "\n  "));
        error.reason().ifPresent(reason -> to.println("  because: " + reason));
        error.remedy().ifPresent(remedy -> to.println("  " + remedy));
    }
}
