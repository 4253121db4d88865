package dev.cortex.sandbox.figure;

import java.util.List;

/**
 * A part that can say in numbers how it is. It is asked about every fifteen seconds, and has a second or two. Thread-safe.
 */
public interface Figures {
    /** All of them; a part that cannot tell one at present leaves it out. */
    List<Figure> now();
}
