package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.Stopwatch;
import java.util.List;
import java.util.Map;

/**
 * A contender that is one process.
 *
 * @param toFirstByte timed to the first byte of its output; else to its end
 */
record Timed(
        String name,
        Stopwatch stopwatch,
        List<String> argv,
        Map<String, String> environment,
        boolean toFirstByte,
        Closing closing)
        implements Contender {
    /** What goes with it. */
    interface Closing {
        Closing NOTHING = () -> {};

        void close() throws Exception;
    }

    static Timed toFirstByte(String name, Stopwatch stopwatch, List<String> argv) {
        return new Timed(name, stopwatch, argv, Map.of(), true, Closing.NOTHING);
    }

    static Timed toEnd(String name, Stopwatch stopwatch, List<String> argv) {
        return new Timed(name, stopwatch, argv, Map.of(), false, Closing.NOTHING);
    }

    Timed with(Map<String, String> newEnvironment, Closing newClosing) {
        return new Timed(name, stopwatch, argv, newEnvironment, toFirstByte, newClosing);
    }

    @Override
    public double once() throws Exception {
        Stopwatch.Lap lap = stopwatch.time(argv, environment, "").succeeded();
        return toFirstByte ? lap.toFirstByte() : lap.exitMillis();
    }

    @Override
    public void close() throws Exception {
        closing.close();
    }
}
