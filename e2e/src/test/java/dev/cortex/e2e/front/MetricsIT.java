package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A real daemon's figures, scraped over its port as Prometheus does it, and read by Prometheus' own Python parsers. */
final class MetricsIT {
    /** Each line a sample: its name, its labels in order, its value. The parser refuses what breaks the format. */
    private static final String READ = """
            import sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
            text = open(sys.argv[1], encoding='utf-8').read()
            for family in read(text):
                assert family.documentation, family.name
                for sample in family.samples:
                    labels = ','.join('%s=%s' % pair for pair in sorted(sample.labels.items()))
                    print('%s{%s} %s' % (sample.name, labels, sample.value))
            """;

    private static final String READ_OLD = READ.replace("openmetrics.parser", "parser");

    private final CortexHome home = CortexHome.open();

    private List<String> scrape(String accept, String program) throws IOException, InterruptedException {
        Path page = home.folder().resolve("page");
        Process curl = new ProcessBuilder(
                        "curl",
                        "-sS",
                        "--fail",
                        "--max-time",
                        "60",
                        "-o",
                        page.toString(),
                        "-H",
                        "Accept: " + accept,
                        "-H",
                        "Authorization: Bearer " + home.token(),
                        "http://127.0.0.1:" + home.port() + "/metrics")
                .inheritIO()
                .start();
        assertThat(curl.waitFor(60, TimeUnit.SECONDS)).as("the scrape's end").isTrue();
        assertThat(curl.exitValue()).isZero();
        Path out = home.folder().resolve("samples");
        Process parser = new ProcessBuilder("/usr/bin/python3", "-c", program, page.toString())
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(parser.waitFor(60, TimeUnit.SECONDS)).as("the parser's end").isTrue();
        assertThat(parser.exitValue())
                .as(Files.readString(page, StandardCharsets.UTF_8))
                .isZero();
        return Files.readAllLines(out);
    }

    private List<String> scrape() throws IOException, InterruptedException {
        return scrape("application/openmetrics-text; version=1.0.0", READ);
    }

    @Test
    void bothFormatsAreWhatPrometheusParsersTakeAndSayWhatWasDone() throws Exception {
        try (home) {
            home.cortex("create", "counted").succeeded();
            home.cortex("exec", "counted", "--", "true").succeeded();
            assertThat(home.cortex("exec", "counted", "--", "sh", "-c", "exit 3")
                            .status())
                    .isNotZero();
            home.cortex(
                    "exec",
                    "counted",
                    "--",
                    "python3",
                    "-c",
                    "import urllib.request as u\ntry: u.urlopen('http://denied.example/', timeout=10)\nexcept OSError: pass");
            home.cortex("inspect", "nobody");
            home.cortex("exec", "counted", "--detach", "--", "sleep", "600").succeeded();
            CortexHome.await(() -> scrape().contains("cortex_sessions_running{} 1.0"), "the session among the figures");
            List<String> samples = scrape();
            assertThat(samples)
                    .contains("cortex_sandboxes{driver=oci/crun,state=running} 1.0")
                    .contains("cortex_sandboxes{driver=,state=error} 0.0")
                    .contains("cortex_operations_total{code=OK,operation=sandbox.create} 1.0")
                    .contains("cortex_operations_total{code=NOT_FOUND,operation=sandbox.inspect} 1.0")
                    .contains("cortex_egress_decisions_total{verdict=deny} 1.0")
                    .contains("cortex_clients_attached{} 0.0")
                    .contains("cortex_disks{} 1.0")
                    .anyMatch(line -> line.startsWith("cortex_spares_ready{driver="))
                    .anyMatch(line -> line.startsWith("cortex_spares_wanted_total{outcome=handed_out} "))
                    .anyMatch(line -> line.startsWith("cortex_spares_wanted_total{outcome=missed} "))
                    .anyMatch(line -> line.startsWith("cortex_spares_filled_total{outcome=ready} "))
                    .anyMatch(line -> line.startsWith("cortex_spares_filled_total{outcome=failed} "))
                    .anyMatch(line -> line.startsWith("cortex_operation_duration_seconds_bucket{le=0.5,operation="))
                    .anyMatch(line -> line.startsWith("cortex_host_disk_free_bytes{} "))
                    .anyMatch(line -> line.startsWith("cortex_build_info{version="))
                    .anyMatch(line -> line.startsWith("process_resident_memory_bytes{} "))
                    .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{area=heap} "))
                    .noneMatch(line -> line.contains("counted") || line.contains("denied.example"));
            CortexHome.await(() -> scrape().contains("cortex_orphans{} 0.0"), "the look for orphans");
            String manual = Files.readString(CortexHome.script().resolveSibling("docs/operations.md"));
            assertThat(scrape())
                    .map(line -> line.substring(0, line.indexOf('{')))
                    .filteredOn(name -> name.startsWith("cortex_"))
                    .map(name -> name.replaceFirst("_(bucket|count|sum|created)$", ""))
                    .allSatisfy(name -> assertThat(manual).contains("`" + name + "`"));
            assertThat(scrape("text/plain", READ_OLD))
                    .contains("cortex_operations_total{code=OK,operation=sandbox.create} 1.0");
        }
    }

    @Test
    void aDaemonThatWasKilledIsFollowedByOneThatCountsWhatItFound() throws Exception {
        try (home) {
            home.cortex("create", "survivor").succeeded();
            home.killDaemon();
            home.cortex("ls").succeeded();
            CortexHome.await(
                    () -> scrape().contains("cortex_recoveries_total{outcome=reattached} 1.0"),
                    "the recovery among the figures");
        }
    }
}
