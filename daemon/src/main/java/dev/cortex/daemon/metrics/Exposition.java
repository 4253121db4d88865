package dev.cortex.daemon.metrics;

import dev.cortex.sandbox.figure.Figure;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Writes figures in the formats of Prometheus; the one class that knows its library. */
final class Exposition {
    /** The library adds it to the name of each counter. */
    private static final String TOTAL = "_total";

    private static final String OPERATION = "operation";

    private final ServedRequests requests;
    private final ClientTraffic clients;
    private final String version;
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final PrometheusRegistry process = new PrometheusRegistry();

    Exposition(ServedRequests requests, ClientTraffic clients, String version) {
        this.requests = requests;
        this.clients = clients;
        this.version = version;
        JvmMetrics.builder().register(process);
    }

    Metrics.Page page(List<Figure> figures, Optional<String> accept) {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        all.metricSnapshot(build());
        all.metricSnapshot(operations());
        all.metricSnapshot(durations());
        byName(clientFigures()).forEach(of -> all.metricSnapshot(snapshot(of)));
        byName(figures).forEach(of -> all.metricSnapshot(snapshot(of)));
        process.scrape().forEach(all::metricSnapshot);
        ExpositionFormatWriter writer = formats.findWriter(accept.orElse(""));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(32 << 10);
        try {
            writer.write(bytes, all.build());
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return new Metrics.Page(writer.getContentType(), bytes.toByteArray());
    }

    private MetricSnapshot build() {
        return InfoSnapshot.builder()
                .name("cortex_build")
                .help("The build that this daemon is.")
                .dataPoint(InfoDataPointSnapshot.builder()
                        .labels(Labels.of("version", version))
                        .build())
                .build();
    }

    private MetricSnapshot operations() {
        CounterSnapshot.Builder counter = CounterSnapshot.builder()
                .name("cortex_operations")
                .help("Operations that were answered, by name and by error code, OK for none.");
        requests.outcomes()
                .forEach((outcome, count) -> counter.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(Labels.of(OPERATION, outcome.operation(), "code", outcome.code()))
                        .value(count.sum())
                        .build()));
        return counter.build();
    }

    private MetricSnapshot durations() {
        HistogramSnapshot.Builder histogram = HistogramSnapshot.builder()
                .name("cortex_operation_duration_seconds")
                .help("From the arrival of a request to the end of its answer; of an upgrade, to its begin.");
        requests.latencies()
                .forEach((operation, latencies) -> histogram.dataPoint(HistogramDataPointSnapshot.builder()
                        .labels(Labels.of(OPERATION, operation))
                        .classicHistogramBuckets(ClassicHistogramBuckets.of(UPPER_ENDS, latencies.counts()))
                        .sum(latencies.sumSeconds())
                        .build()));
        return histogram.build();
    }

    private static final List<Double> UPPER_ENDS = withoutEnd(Latencies.SECONDS);

    private static List<Double> withoutEnd(List<Double> ends) {
        List<Double> all = new ArrayList<>(ends);
        all.add(Double.POSITIVE_INFINITY);
        return List.copyOf(all);
    }

    private List<Figure> clientFigures() {
        Figure bytes = Figure.counter("cortex_client_bytes_total", "Bytes from (in) and to (out) clients.", 0);
        return List.of(
                Figure.gauge(
                        "cortex_clients_attached",
                        "Clients that are attached to a session or a forwarded port.",
                        clients.attachedNow()),
                bytes.of("direction", "in").at(clients.receivedBytes()),
                bytes.of("direction", "out").at(clients.sentBytes()));
    }

    private static Iterable<List<Figure>> byName(List<Figure> figures) {
        Map<String, List<Figure>> grouped = new LinkedHashMap<>();
        for (Figure figure : figures) {
            grouped.computeIfAbsent(figure.name(), any -> new ArrayList<>()).add(figure);
        }
        return grouped.values();
    }

    /** @param figures of one name, at least one */
    private static MetricSnapshot snapshot(List<Figure> figures) {
        Figure first = figures.getFirst();
        return switch (first.kind()) {
            case GAUGE -> {
                GaugeSnapshot.Builder gauge =
                        GaugeSnapshot.builder().name(first.name()).help(first.help());
                figures.forEach(figure -> gauge.dataPoint(GaugeDataPointSnapshot.builder()
                        .labels(labels(figure))
                        .value(figure.value())
                        .build()));
                yield gauge.build();
            }
            case COUNTER -> {
                CounterSnapshot.Builder counter = CounterSnapshot.builder()
                        .name(first.name().substring(0, first.name().length() - TOTAL.length()))
                        .help(first.help());
                figures.forEach(figure -> counter.dataPoint(CounterDataPointSnapshot.builder()
                        .labels(labels(figure))
                        .value(figure.value())
                        .build()));
                yield counter.build();
            }
        };
    }

    private static Labels labels(Figure figure) {
        Map<String, String> sorted = new TreeMap<>(figure.labels());
        return Labels.of(sorted.keySet().toArray(String[]::new), sorted.values().toArray(String[]::new));
    }
}
