package dev.cortex.bench.measure;

import dev.cortex.bench.stats.Samples;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * A measure whose contenders are opened anew several times, with all samples in one series: a process has luck of its own
 * (where its memory lies, what its compiler did first), which no number of rounds evens out.
 *
 * @param times that the whole measure is run
 */
public record Repeated(Measure measure, int times) implements Measure {
    @Override
    public String id() {
        return measure.id();
    }

    @Override
    public String about() {
        return measure.about();
    }

    @Override
    public List<Promise> promises() {
        return measure.promises();
    }

    @Override
    public List<Series> run(Length length, Progress progress) throws Exception {
        Map<String, Series> all = new LinkedHashMap<>();
        for (int time = 0; time < times; time++) {
            String part = (time + 1) + " of " + times + ", ";
            for (Series series : measure.run(length, new Part(part, progress))) {
                all.merge(series.contender(), series, Repeated::joined);
            }
        }
        return List.copyOf(all.values());
    }

    /** Progress of one time. */
    private record Part(String name, Progress whole) implements Progress {
        @Override
        public void at(String step, int done, int all) {
            whole.at(name + step, done, all);
        }

        @Override
        public boolean goesOn() {
            return whole.goesOn();
        }
    }

    private static Series joined(Series one, Series other) {
        double[] values = DoubleStream.concat(
                        DoubleStream.of(one.samples().values()),
                        DoubleStream.of(other.samples().values()))
                .toArray();
        List<String> words = new ArrayList<>(one.words());
        words.addAll(other.words());
        return new Series(
                one.contender(), one.unit(), Samples.of(values), one.failures() + other.failures(), words, one.least());
    }
}
