package dev.cortex.bench.measure;

/**
 * A contender that has not been opened yet.
 *
 * @param name the contender's
 * @param share of the rounds that it takes part in, 0 to 1: slow ones would make the run last
 * @param least samples on which it is compared; fewer tell nothing that could be promised
 */
public record Entry(String name, double share, int least, Opening opening) {
    private static final int LEAST = 20;
    private static final int LEAST_OF_SLOW = 10;

    /** Gets everything ready that is not to be timed. */
    public interface Opening {
        Contender open() throws Exception;
    }

    public static Entry of(String name, Opening opening) {
        return new Entry(name, 1, LEAST, opening);
    }

    /** A slow one, which is compared on fewer samples. */
    public Entry in(double newShare) {
        return new Entry(name, newShare, LEAST_OF_SLOW, opening);
    }

    public Entry comparedFrom(int newLeast) {
        return new Entry(name, share, newLeast, opening);
    }

    boolean takesPart(int round) {
        return Math.floor((round + 1) * share) > Math.floor(round * share);
    }
}
