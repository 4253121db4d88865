package dev.cortex.bench;

import dev.cortex.bench.against.Comparison;
import dev.cortex.bench.measure.Judgement;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Series;
import dev.cortex.bench.place.Checkout;
import dev.cortex.bench.place.Grounds;
import dev.cortex.bench.place.Machine;
import dev.cortex.bench.report.Json;
import dev.cortex.bench.report.Outcome;
import dev.cortex.bench.report.Table;
import dev.cortex.bench.report.Ticker;
import dev.cortex.bench.soak.LongSoak;
import dev.cortex.bench.suite.Suite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** {@code ./dev bench}, which builds what is needed and then starts this. */
public final class Bench {
    private static final int USAGE = 2;

    /** Ten times what a round of the slowest measure takes. */
    private static final int PATIENCE_SECONDS = 30;

    private Bench() {}

    public static void main(String[] words) throws IOException {
        System.exit(run(words));
    }

    private static int run(String[] words) throws IOException {
        Arguments arguments;
        try {
            arguments = Arguments.parse(words);
        } catch (IllegalArgumentException e) {
            System.err.println("bench: " + e.getMessage());
            return USAGE;
        }
        if (arguments.help()) {
            System.out.print(Arguments.USAGE);
            return 0;
        }
        Checkout checkout =
                new Checkout(Path.of(System.getProperty("cortex.checkout", ".")).toRealPath(), "cortex");
        Grounds grounds = new Grounds(checkout);
        CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(grounds, done), "ending"));
        try {
            if (arguments.soak().isPresent()) {
                return soak(arguments.soak().get(), grounds);
            }
            return measure(arguments, grounds);
        } finally {
            grounds.close();
            done.countDown();
        }
    }

    /**
     * On Ctrl-C. The measure under way is let go and clears its own things away; only one that does not come to its end
     * soon has them taken from under it.
     */
    private static void end(Grounds grounds, CountDownLatch done) {
        if (done.getCount() == 0) {
            return;
        }
        System.err.println("\nbench: clearing away");
        grounds.stop();
        try {
            if (done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
            grounds.close();
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println(
                        "bench: the measure under way does not end; folders cortex-bench* may be left in /tmp");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int measure(Arguments arguments, Grounds grounds) throws IOException {
        Optional<Checkout> other = other();
        List<Measure> measures =
                other.isPresent() ? new Comparison(grounds, other.get()).measures() : new Suite(grounds).measures();
        if (arguments.list()) {
            measures.forEach(measure -> System.out.printf("%-16s %s%n", measure.id(), measure.about()));
            return 0;
        }
        List<Measure> chosen = chosen(measures, arguments.only());
        if (chosen.isEmpty()) {
            System.err.println("bench: there is no measure of that name; see ./dev bench --list");
            return USAGE;
        }
        Table table = new Table(System.out);
        Machine machine = Machine.look(grounds.checkout());
        String loadBefore = Machine.load();
        table.machine(machine);
        List<Outcome> outcomes = run(chosen, arguments, table, grounds);
        if (grounds.isOver()) {
            return 1;
        }
        String loadAfter = Machine.load();
        table.summary(outcomes, loadBefore, loadAfter);
        Path file = arguments.json().orElseGet(() -> jsonFile(grounds.checkout()));
        Files.writeString(file, Json.of(machine, loadBefore, loadAfter, outcomes) + "\n");
        System.out.println("every sample: " + file);
        boolean measured = outcomes.stream().allMatch(outcome -> outcome.words().isEmpty());
        return measured && (other.isEmpty() || noneWorse(outcomes)) ? 0 : 1;
    }

    private static boolean noneWorse(List<Outcome> outcomes) {
        List<String> worse = with(Judgement.Standing.MISSED, outcomes);
        List<String> unknown = with(Judgement.Standing.UNKNOWN, outcomes);
        if (!unknown.isEmpty()) {
            System.out.println("not compared: " + String.join(", ", unknown));
        }
        if (!worse.isEmpty()) {
            System.out.println("regression: " + String.join(", ", worse));
        } else if (unknown.isEmpty()) {
            System.out.println("no regression");
        }
        return worse.isEmpty() && unknown.isEmpty();
    }

    private static List<String> with(Judgement.Standing standing, List<Outcome> outcomes) {
        return outcomes.stream()
                .filter(outcome -> outcome.judgements().stream().anyMatch(one -> one.standing() == standing))
                .map(Outcome::id)
                .toList();
    }

    /** The other revision, which the script has built. */
    private static Optional<Checkout> other() {
        String folder = System.getProperty("cortex.against", "");
        return folder.isEmpty()
                ? Optional.empty()
                : Optional.of(new Checkout(Path.of(folder), System.getProperty("cortex.against.label", folder)));
    }

    private static int soak(Duration length, Grounds grounds) {
        new Table(System.out).machine(Machine.look(grounds.checkout()));
        try {
            return new LongSoak(grounds, System.out).run(length, ticker(grounds)) ? 0 : 1;
        } catch (Exception e) {
            System.err.println("bench: the soak broke off: " + e.getMessage());
            return 1;
        }
    }

    private static Ticker ticker(Grounds grounds) {
        boolean terminal = System.console() != null && System.console().isTerminal();
        return new Ticker(System.err, terminal, () -> !grounds.isOver());
    }

    private static List<Measure> chosen(List<Measure> all, List<String> only) {
        boolean known = all.stream().map(Measure::id).toList().containsAll(only);
        return all.stream()
                .filter(measure -> known && (only.isEmpty() || only.contains(measure.id())))
                .toList();
    }

    private static List<Outcome> run(List<Measure> measures, Arguments arguments, Table table, Grounds grounds) {
        Ticker ticker = ticker(grounds);
        List<Outcome> outcomes = new ArrayList<>();
        for (Measure measure : measures) {
            ticker.begin(measure.id(), outcomes.size() + 1, measures.size());
            Outcome outcome;
            try {
                List<Series> series = measure.run(arguments.length(), ticker);
                outcome = Outcome.of(measure, series);
            } catch (Exception e) {
                outcome = Outcome.failed(measure, e.getMessage() == null ? e.toString() : e.getMessage());
            }
            ticker.end();
            if (grounds.isOver()) {
                break;
            }
            outcomes.add(outcome);
            table.outcome(outcome);
        }
        return outcomes;
    }

    private static Path jsonFile(Checkout checkout) {
        try {
            Path folder = Files.createDirectories(checkout.out().resolve("bench"));
            String time =
                    Instant.now().truncatedTo(ChronoUnit.SECONDS).toString().replace(":", "");
            return folder.resolve("bench-" + time + ".json");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
