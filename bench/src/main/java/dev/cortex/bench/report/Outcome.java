package dev.cortex.bench.report;

import dev.cortex.bench.measure.Judgement;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Series;
import java.util.List;

/** What came of a measure; without series and with {@code words} where it could not be made. */
public record Outcome(String id, String about, List<Series> series, List<Judgement> judgements, String words) {
    public static Outcome of(Measure measure, List<Series> series) {
        List<Judgement> judged = measure.promises().stream()
                .map(promise -> promise.judge(series))
                .toList();
        return new Outcome(measure.id(), measure.about(), series, judged, "");
    }

    public static Outcome failed(Measure measure, String words) {
        return new Outcome(
                measure.id(),
                measure.about(),
                List.of(),
                measure.promises().stream()
                        .map(promise -> promise.judge(List.of()))
                        .toList(),
                words);
    }
}
