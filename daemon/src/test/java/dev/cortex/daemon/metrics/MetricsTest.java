package dev.cortex.daemon.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.figure.Figure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is counted, and the page that shows it. */
final class MetricsTest {
    private final List<Figure> home = new ArrayList<>();
    private final Metrics metrics = new Metrics(() -> () -> List.copyOf(home), "20260101-abc");

    private String page() {
        return new String(metrics.page(Optional.empty()).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aDurationFallsIntoTheFirstBucketThatHoldsItAndIntoAllBehindIt() {
        metrics.requests().add("exec", Optional.empty(), Duration.ofMillis(1).toNanos());
        metrics.requests().add("exec", Optional.empty(), Duration.ofMillis(4).toNanos());
        metrics.requests()
                .add(
                        "exec",
                        Optional.of(ErrorCode.DEADLINE),
                        Duration.ofMinutes(10).toNanos());
        assertThat(page())
                .contains("cortex_operation_duration_seconds_bucket{operation=\"exec\",le=\"0.001\"} 1\n")
                .contains("cortex_operation_duration_seconds_bucket{operation=\"exec\",le=\"0.003\"} 1\n")
                .contains("cortex_operation_duration_seconds_bucket{operation=\"exec\",le=\"0.005\"} 2\n")
                .contains("cortex_operation_duration_seconds_bucket{operation=\"exec\",le=\"300.0\"} 2\n")
                .contains("cortex_operation_duration_seconds_bucket{operation=\"exec\",le=\"+Inf\"} 3\n")
                .contains("cortex_operation_duration_seconds_count{operation=\"exec\"} 3\n")
                .contains("cortex_operation_duration_seconds_sum{operation=\"exec\"} 600.005\n")
                .contains("cortex_operations_total{code=\"DEADLINE\",operation=\"exec\"} 1.0\n");
    }

    @Test
    void clientsComeAndGoAndTheirBytesAddUp() {
        metrics.clients().attached();
        metrics.clients().attached();
        metrics.clients().detached();
        metrics.clients().received(100);
        metrics.clients().received(-1);
        metrics.clients().sent(7);
        assertThat(page())
                .contains("cortex_clients_attached 1.0\n")
                .contains("cortex_client_bytes_total{direction=\"in\"} 100.0\n")
                .contains("cortex_client_bytes_total{direction=\"out\"} 7.0\n");
    }

    @Test
    void figuresOfOneNameStandTogetherUnderItsHelpAndType() {
        Figure pool = Figure.gauge("cortex_warm_sandboxes", "Prepared.", 0);
        home.add(pool.of("image", "host").at(3));
        home.add(Figure.counter("cortex_things_total", "Things.", 5));
        home.add(pool.of("image", "other").at(4));
        assertThat(page())
                .contains("# HELP cortex_warm_sandboxes Prepared.\n# TYPE cortex_warm_sandboxes gauge\n"
                        + "cortex_warm_sandboxes{image=\"host\"} 3.0\ncortex_warm_sandboxes{image=\"other\"} 4.0\n")
                .contains("# TYPE cortex_things_total counter\ncortex_things_total 5.0\n");
    }

    @Test
    void theProcessAndItsJvmAreShownToo() {
        assertThat(page())
                .contains("process_open_fds ", "process_resident_memory_bytes ", "process_cpu_seconds_total ")
                .contains("jvm_memory_used_bytes{", "jvm_threads_current ", "jvm_gc_collection_seconds_count{");
    }
}
