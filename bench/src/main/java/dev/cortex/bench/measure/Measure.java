package dev.cortex.bench.measure;

import java.util.List;

/** One thing that is measured, over all its contenders in turn. */
public interface Measure {
    /** Short, for {@code --only}. */
    String id();

    /** One line: what is timed, from where to where. */
    String about();

    List<Promise> promises();

    /** Runs all contenders; one that cannot be made ready has a series without samples and with the reason. */
    List<Series> run(Length length, Progress progress) throws Exception;
}
