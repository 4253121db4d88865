package dev.cortex.daemon.metrics;

import dev.cortex.sandbox.figure.Figures;
import java.util.Optional;
import java.util.function.Supplier;

/** The page that Prometheus scrapes. Thread-safe. */
public final class Metrics {
    private final ServedRequests requests = new ServedRequests();
    private final ClientTraffic clients = new ClientTraffic();
    private final Supplier<Figures> home;
    private final String version;
    private volatile Optional<Exposition> exposition = Optional.empty();

    /**
     * @param home asked at each scrape, at the first of which it must be open
     * @param version of this build
     */
    public Metrics(Supplier<Figures> home, String version) {
        this.home = home;
        this.version = version;
    }

    /** Where answers are counted. */
    public ServedRequests requests() {
        return requests;
    }

    /** Where clients are counted. */
    public ClientTraffic clients() {
        return clients;
    }

    /**
     * A page as it is written.
     *
     * @param type of its content
     */
    public record Page(String type, byte[] bytes) {}

    /** @param accept header of the request: a client that wants OpenMetrics gets that */
    public Page page(Optional<String> accept) {
        return exposition().page(home.get().now(), accept);
    }

    /** A daemon that nobody watches does without the library. */
    private Exposition exposition() {
        Optional<Exposition> known = exposition;
        if (known.isPresent()) {
            return known.get();
        }
        synchronized (this) {
            Exposition made = exposition.orElseGet(() -> new Exposition(requests, clients, version));
            exposition = Optional.of(made);
            return made;
        }
    }
}
