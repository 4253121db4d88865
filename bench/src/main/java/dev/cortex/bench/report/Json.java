package dev.cortex.bench.report;

import dev.cortex.bench.measure.Judgement;
import dev.cortex.bench.measure.Series;
import dev.cortex.bench.place.Machine;
import dev.cortex.bench.stats.Samples;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The same for programs, with every sample. */
public final class Json {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final int SCHEMA_VERSION = 1;

    private Json() {}

    public static String of(Machine machine, String loadBefore, String loadAfter, List<Outcome> outcomes) {
        ObjectNode root = MAPPER.createObjectNode();
        root.put("schema_version", SCHEMA_VERSION).put("kind", "bench");
        ObjectNode described = root.putObject("machine");
        machine.facts().forEach(described::put);
        described.put("load_before", loadBefore).put("load_after", loadAfter);
        ArrayNode measures = root.putArray("measures");
        outcomes.forEach(outcome -> outcome(measures.addObject(), outcome));
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    }

    private static void outcome(ObjectNode node, Outcome outcome) {
        node.put("id", outcome.id()).put("about", outcome.about());
        if (!outcome.words().isEmpty()) {
            node.put("failed", outcome.words());
        }
        ArrayNode contenders = node.putArray("contenders");
        outcome.series().forEach(series -> series(contenders.addObject(), series));
        ArrayNode promises = node.putArray("promises");
        outcome.judgements().forEach(judgement -> judgement(promises.addObject(), judgement));
    }

    private static void series(ObjectNode node, Series series) {
        Samples samples = series.samples();
        node.put("contender", series.contender())
                .put("unit", series.unit().symbol())
                .put("n", samples.count())
                .put("failures", series.failures());
        if (samples.count() > 0) {
            node.put("p50", samples.median())
                    .put("p95", samples.quantile(0.95))
                    .put("p99", samples.quantile(0.99))
                    .put("min", samples.min())
                    .put("max", samples.max());
        }
        ArrayNode words = node.putArray("words");
        series.words().forEach(words::add);
        ArrayNode values = node.putArray("samples");
        for (double value : samples.values()) {
            values.add(value);
        }
    }

    private static void judgement(ObjectNode node, Judgement judgement) {
        node.put("contender", judgement.contender())
                .put("promise", judgement.words())
                .put("standing", judgement.standing().name().toLowerCase(Locale.ROOT));
        if (!judgement.note().isEmpty()) {
            node.put("note", judgement.note());
        }
        if (judgement.standing() != Judgement.Standing.UNKNOWN) {
            node.put("figure", judgement.figure())
                    .put("low", judgement.interval().low())
                    .put("high", judgement.interval().high());
        }
    }
}
