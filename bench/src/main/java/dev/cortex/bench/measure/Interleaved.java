package dev.cortex.bench.measure;

import dev.cortex.bench.stats.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A measure whose contenders take turns: in each round every one once, in an order drawn anew, so that none has the
 * quiet minutes of the machine for itself. The first rounds are thrown away.
 *
 * @param whole rounds of a whole run
 * @param brief rounds of a short one
 * @param warmUps rounds thrown away
 */
public record Interleaved(
        String id,
        String about,
        Unit unit,
        int whole,
        int brief,
        int warmUps,
        List<Entry> entries,
        List<Promise> promises)
        implements Measure {
    /** A contender that failed so often in a row is not asked again. */
    private static final int PATIENCE = 5;

    private static final int WORDS = 3;

    public Interleaved {
        entries = List.copyOf(entries);
        promises = List.copyOf(promises);
    }

    @Override
    public List<Series> run(Length length, Progress progress) throws Exception {
        Map<String, Lane> lanes = new LinkedHashMap<>();
        try {
            int opened = 0;
            for (Entry entry : entries) {
                requireTime(progress);
                progress.at("preparing " + entry.name(), opened++, entries.size());
                lanes.put(entry.name(), Lane.open(entry));
            }
            int rounds = length.rounds(whole, brief);
            List<Lane> order = new ArrayList<>(lanes.values());
            Random random = new Random(id.hashCode());
            for (int round = -warmUps; round < rounds; round++) {
                Collections.shuffle(order, random);
                for (Lane lane : order) {
                    requireTime(progress);
                    lane.turn(round);
                }
                progress.at(round < 0 ? "warming up" : "measuring", Math.max(0, round + 1), rounds);
            }
            return lanes.values().stream().map(lane -> lane.series(unit)).toList();
        } finally {
            for (Lane lane : lanes.values()) {
                lane.close();
            }
        }
    }

    private static void requireTime(Progress progress) throws IOException {
        if (!progress.goesOn()) {
            throw new IOException("the run is over");
        }
    }

    /** One contender's turns. */
    private static final class Lane {
        private final Entry entry;
        private final List<Contender> contender = new ArrayList<>();
        private final List<Double> values = new ArrayList<>();
        private final List<String> words = new ArrayList<>();
        private int failures;
        private int inRow;

        private Lane(Entry entry) {
            this.entry = entry;
        }

        static Lane open(Entry entry) throws InterruptedException {
            Lane lane = new Lane(entry);
            try {
                lane.contender.add(entry.opening().open());
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                lane.failed(e);
            }
            return lane;
        }

        void turn(int round) throws InterruptedException {
            if (contender.isEmpty() || inRow >= PATIENCE) {
                return;
            }
            if (round >= 0 && !entry.takesPart(round)) {
                return;
            }
            // A slow contender is warm after one time.
            if (round < -1 && entry.share() < 1) {
                return;
            }
            try {
                double value = contender.getFirst().once();
                if (round >= 0) {
                    values.add(value);
                }
                inRow = 0;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                inRow++;
                failed(e);
            }
            clear();
        }

        /** Behind a failure as well, which may have left something half done. */
        private void clear() throws InterruptedException {
            try {
                contender.getFirst().after();
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                words(e);
            }
        }

        private void failed(Exception e) {
            failures++;
            words(e);
        }

        private void words(Exception e) {
            if (words.size() < WORDS) {
                words.add(e.getMessage() == null ? e.toString() : e.getMessage());
            }
        }

        Series series(Unit unit) {
            return new Series(
                    entry.name(),
                    unit,
                    Samples.of(values.stream().mapToDouble(Double::doubleValue).toArray()),
                    failures,
                    words,
                    entry.least());
        }

        void close() throws Exception {
            for (Contender one : contender) {
                one.close();
            }
        }
    }
}
