package dev.cortex.bench.measure;

/**
 * A contender that has not been opened yet.
 *
 * @param name the contender's
 * @param share of the rounds that it takes part in, 0 to 1: slow ones would make the run last
 */
public record Entry(String name, double share, Opening opening) {
    /** Gets everything ready that is not to be timed. */
    public interface Opening {
        Contender open() throws Exception;
    }

    public static Entry of(String name, Opening opening) {
        return new Entry(name, 1, opening);
    }

    public Entry in(double newShare) {
        return new Entry(name, newShare, opening);
    }

    boolean takesPart(int round) {
        return Math.floor((round + 1) * share) > Math.floor(round * share);
    }
}
