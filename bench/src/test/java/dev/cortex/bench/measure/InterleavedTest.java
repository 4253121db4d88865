package dev.cortex.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InterleavedTest {
    private final List<String> turns = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();

    private final class Recorded implements Contender {
        private final String name;
        private final boolean fails;

        Recorded(String name, boolean fails) {
            this.name = name;
            this.fails = fails;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public double once() throws IOException {
            turns.add(name);
            if (fails) {
                throw new IOException("no");
            }
            return turns.size();
        }

        @Override
        public void close() {
            closed.add(name);
        }
    }

    private static class Endless implements Progress {
        @Override
        public void at(String step, int done, int all) {}

        @Override
        public boolean goesOn() {
            return true;
        }
    }

    @Test
    void aRunThatIsOverEndsInTheMiddleOfARoundAndClosesEveryone() {
        Interleaved measure = measure(20, 0, entry("a", false), entry("b", false));
        Progress three = new Endless() {
            @Override
            public boolean goesOn() {
                return turns.size() < 3;
            }
        };
        assertThatThrownBy(() -> measure.run(Length.WHOLE, three)).hasMessageContaining("over");
        assertThat(turns).hasSize(3);
        assertThat(closed).containsExactly("a", "b");
    }

    private static Interleaved measure(int rounds, int warmUps, Entry... entries) {
        return new Interleaved(
                "m", "a measure", Unit.MILLISECONDS, rounds, rounds, warmUps, List.of(entries), List.of());
    }

    private Entry entry(String name, boolean fails) {
        return Entry.of(name, () -> new Recorded(name, fails));
    }

    private List<Series> run(Interleaved measure) throws Exception {
        return measure.run(Length.WHOLE, new Endless());
    }

    @Test
    void everyRoundHasEachContenderOnceInAnOrderOfItsOwn() throws Exception {
        List<Series> all = run(measure(20, 0, entry("a", false), entry("b", false), entry("c", false)));
        assertThat(all).allMatch(series -> series.samples().count() == 20);
        List<List<String>> orders = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            List<String> order = turns.subList(3 * round, 3 * round + 3);
            assertThat(order).containsExactlyInAnyOrder("a", "b", "c");
            orders.add(List.copyOf(order));
        }
        assertThat(orders.stream().distinct().count()).isGreaterThan(2);
    }

    @Test
    void warmUpsAreThrownAway() throws Exception {
        List<Series> all = run(measure(5, 3, entry("a", false)));
        assertThat(all.getFirst().samples().values()).containsExactly(4, 5, 6, 7, 8);
    }

    @Test
    void aSlowContenderTakesItsShareOfTheRounds() throws Exception {
        List<Series> all =
                run(measure(20, 3, entry("a", false), entry("slow", false).in(0.2)));
        assertThat(all.get(1).samples().count()).isEqualTo(4);
        assertThat(all.get(0).least()).isEqualTo(20);
        assertThat(all.get(1).least()).isEqualTo(10);
    }

    @Test
    void failuresAreCountedAndWhoFailsFiveTimesInARowIsLeftAlone() throws Exception {
        List<Series> all = run(measure(20, 0, entry("a", false), entry("broken", true)));
        assertThat(all.get(1).failures()).isEqualTo(5);
        assertThat(all.get(1).words()).contains("no");
        assertThat(all.get(0).samples().count()).isEqualTo(20);
    }

    @Test
    void whoCannotBeMadeReadyIsNamedAndTheOthersRun() throws Exception {
        Entry missing = Entry.of("missing", () -> {
            throw new IOException("not installed");
        });
        List<Series> all = run(measure(2, 0, missing, entry("a", false)));
        assertThat(all.get(0).words()).containsExactly("not installed");
        assertThat(all.get(1).samples().count()).isEqualTo(2);
        assertThat(closed).containsExactly("a");
    }
}
