package dev.cortex.bench.report;

import dev.cortex.bench.measure.Judgement;
import dev.cortex.bench.measure.Series;
import dev.cortex.bench.place.Machine;
import dev.cortex.bench.stats.Samples;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The table for people. */
public final class Table {
    private static final String ROW = "  %-40s %5s %9s %9s %9s %9s %7s%n";

    private final PrintStream out;

    public Table(PrintStream out) {
        this.out = out;
    }

    public void machine(Machine machine) {
        out.println("machine");
        for (Map.Entry<String, String> fact : machine.entries()) {
            out.printf("  %-12s %s%n", fact.getKey(), fact.getValue());
        }
    }

    public void outcome(Outcome outcome) {
        out.println();
        out.println(outcome.id() + ": " + outcome.about());
        if (!outcome.words().isEmpty()) {
            out.println("  not measured: " + outcome.words());
        }
        if (!outcome.series().isEmpty()) {
            boolean more = outcome.series().getFirst().unit().moreIsBetter();
            out.printf(ROW, "", "n", "p50", more ? "p5" : "p95", more ? "p1" : "p99", more ? "min" : "max", "failed");
        }
        outcome.series().forEach(this::series);
        outcome.judgements().forEach(this::judgement);
    }

    private void series(Series series) {
        Samples samples = series.samples();
        String name = series.contender() + " (" + series.unit().symbol() + ")";
        if (samples.count() == 0) {
            out.printf("  %-40s not measured%n", name);
        } else {
            boolean more = series.unit().moreIsBetter();
            out.printf(
                    ROW,
                    name,
                    samples.count(),
                    figure(samples.median()),
                    figure(samples.quantile(more ? 0.05 : 0.95)),
                    figure(samples.quantile(more ? 0.01 : 0.99)),
                    figure(more ? samples.min() : samples.max()),
                    series.failures());
        }
        series.words().forEach(words -> out.println("      failed: " + oneLine(words)));
    }

    private void judgement(Judgement judgement) {
        if (judgement.standing() == Judgement.Standing.UNKNOWN) {
            out.printf("  ? %s %s: not compared: %s%n", judgement.contender(), judgement.words(), judgement.note());
            return;
        }
        boolean met = judgement.standing() == Judgement.Standing.MET;
        out.printf(
                "  %s %s %s: %s [%s, %s]%s%n",
                met ? "✓" : "✗ missed:",
                judgement.contender(),
                judgement.words(),
                figure(judgement.figure()),
                figure(judgement.interval().low()),
                figure(judgement.interval().high()),
                judgement.note().isEmpty() ? "" : ", " + judgement.note());
    }

    /** Two lines at the end. */
    public void summary(List<Outcome> outcomes, String loadBefore, String loadAfter) {
        List<Judgement> all =
                outcomes.stream().flatMap(o -> o.judgements().stream()).toList();
        long met = count(all, Judgement.Standing.MET);
        long missed = count(all, Judgement.Standing.MISSED);
        long unknown = count(all, Judgement.Standing.UNKNOWN);
        out.println();
        out.printf("%d promises met, %d missed%s%n", met, missed, unknown == 0 ? "" : ", " + unknown + " not compared");
        out.printf("load of the machine: %s at the start, %s at the end%n", loadBefore, loadAfter);
    }

    private static long count(List<Judgement> all, Judgement.Standing standing) {
        return all.stream().filter(one -> one.standing() == standing).count();
    }

    private static String oneLine(String words) {
        String line = words.replaceAll("\\s+", " ");
        return line.length() <= 160 ? line : line.substring(0, 160) + "…";
    }

    static String figure(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        int digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
