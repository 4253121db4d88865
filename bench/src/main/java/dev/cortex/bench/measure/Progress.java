package dev.cortex.bench.measure;

/** Is told how far a measure is. */
public interface Progress {
    /** @param step what is being done; @param done of {@code all} */
    void at(String step, int done, int all);

    /** False once the run is to end, whatever is left to do. */
    boolean goesOn();
}
