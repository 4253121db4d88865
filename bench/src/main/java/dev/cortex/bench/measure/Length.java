package dev.cortex.bench.measure;

/** How long a run lasts. */
public enum Length {
    /** Every step that takes under a second 200 times. */
    WHOLE,
    /** Under three minutes in all: fewer rounds, and without the largest numbers of sandboxes. */
    SHORT;

    /** @param whole of a whole run; @param brief of a short one */
    public int rounds(int whole, int brief) {
        return this == WHOLE ? whole : brief;
    }
}
