package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import java.io.IOException;
import java.util.List;

/** A step that takes a resource away. */
interface Removal {
    void run() throws IOException;

    /** Takes it, and adds to what is left, with the reason, where that is refused: the steps after it are made all the same. */
    static void attempt(List<String> left, String what, Removal removal) {
        try {
            removal.run();
        } catch (CortexException | IOException e) {
            left.add(what + ": " + e.getMessage());
        }
    }
}
