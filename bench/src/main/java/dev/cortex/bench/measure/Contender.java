package dev.cortex.bench.measure;

/** One way to do what a measure is about. For one thread; closing it leaves nothing behind. */
public interface Contender extends AutoCloseable {
    /** As it stands in the table: {@code cortex crun}, {@code bare runsc}, {@code docker run}. */
    String name();

    /**
     * Does it once.
     *
     * @return the figure in the measure's unit
     * @throws Exception when it failed, which is counted and not timed
     */
    double once() throws Exception;

    /** What has to be cleared away behind each time, not timed. */
    default void after() throws Exception {}

    @Override
    void close() throws Exception;
}
