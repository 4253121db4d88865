package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Progress;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Does something with many sandboxes, a few at once, each lane on a kept connection of its own. */
final class Lanes {
    /** More gain nothing on two processors. */
    private static final int COUNT = 8;

    private Lanes() {}

    /** What is done with one. */
    interface Step {
        void on(UnixHttp http, int number) throws Exception;
    }

    /** Milliseconds of each, for the numbers from {@code from} to below {@code to}. */
    static double[] each(Progress progress, CortexDaemon daemon, int from, int to, Step step) throws Exception {
        double[] millis = new double[to - from];
        AtomicInteger next = new AtomicInteger(from);
        try (ExecutorService threads = Executors.newFixedThreadPool(COUNT)) {
            List<Future<Void>> lanes = new ArrayList<>();
            for (int lane = 0; lane < COUNT; lane++) {
                lanes.add(threads.submit(() -> {
                    try (UnixHttp http = daemon.connect()) {
                        for (int i = next.getAndIncrement(); i < to; i = next.getAndIncrement()) {
                            if (!progress.goesOn()) {
                                throw new IOException("the run is over");
                            }
                            long begin = System.nanoTime();
                            step.on(http, i);
                            millis[i - from] = (System.nanoTime() - begin) / 1e6;
                        }
                        return null;
                    }
                }));
            }
            for (Future<Void> lane : lanes) {
                lane.get();
            }
        }
        return millis;
    }
}
