package dev.cortex.daemon.http;

import dev.cortex.daemon.metrics.Metrics;
import java.util.Optional;

/** What Prometheus scrapes. */
record MetricsDocument(Metrics metrics) implements Document {
    /** Where every scraper looks unless it is told otherwise. */
    static final String PATH = "/metrics";

    @Override
    public String name() {
        return "metrics";
    }

    @Override
    public Content content(Optional<String> accept) {
        Metrics.Page page = metrics.page(accept);
        return new Content(page.type(), page.bytes());
    }
}
