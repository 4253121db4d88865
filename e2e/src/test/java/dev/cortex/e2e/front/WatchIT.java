package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cortex watch}: files of a sandbox, seen from outside as they change. */
final class WatchIT {
    @ParameterizedTest
    @ValueSource(strings = {"oci", "process"})
    void changesAreToldInTheirOrderAndACrashByARescan(String driver) throws Exception {
        try (CortexHome cortex = CortexHome.open().with("CORTEX_ALLOW_INSECURE_PROCESS", "1")) {
            cortex.cortex("create", "a", "--driver", driver).succeeded();
            try (Watch watch = Watch.of(cortex, "watch", "a")) {
                cortex.cortex("exec", "a", "--", "mkdir", "-p", "new/deep").succeeded();
                CortexHome.await(
                        () -> watch.lines().stream().anyMatch(line -> line.endsWith("/new/deep/")), "the new folder");
                cortex.cortex("exec", "a", "--", "sh", "-c", "echo x > new/deep/f; mv new/deep/f g; rm g")
                        .succeeded();
                CortexHome.await(
                        () -> watch.lines().stream().anyMatch(line -> line.matches("removed .*/g")), "the end");
                assertThat(watch.lines().stream().map(WatchIT::withoutRoot).toList())
                        .containsSubsequence(
                                "created new/",
                                "created new/deep/",
                                "created new/deep/f",
                                "moved new/deep/f -> g",
                                "removed g");

                cortex.killDaemon();
                CortexHome.await(() -> watch.lines().stream().anyMatch(line -> line.startsWith("rescan")), "a rescan");
                cortex.cortex("exec", "a", "--", "touch", "after").succeeded();
                CortexHome.await(
                        () -> watch.lines().stream().anyMatch(line -> line.matches("created .*/after")),
                        "what follows");
            }
        }
    }

    @Test
    void aProgramReadsALineOfJsonForEachChangeAndTheEndOfWhatWasWatched() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            cortex.cortex("exec", "a", "--", "mkdir", "/tmp/w").succeeded();
            try (Watch watch = Watch.of(cortex, "watch", "a", "/tmp/w", "--json")) {
                cortex.cortex("exec", "a", "--", "sh", "-c", "echo > /tmp/w/f; rm -r /tmp/w")
                        .succeeded();
                assertThat(watch.process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(watch.process.exitValue()).isZero();
                assertThat(watch.lines())
                        .allMatch(line -> line.startsWith("{\"schema_version\":1,\"kind\":\"change\""));
                assertThat(watch.lines().getFirst())
                        .contains("\"kind\":\"created\"", "\"path\":\"/tmp/w/f\"", "\"folder\":false");
                assertThat(watch.lines().getLast())
                        .contains("\"kind\":\"removed\"", "\"path\":\"/tmp/w\"", "\"folder\":true");
            }
            assertThat(cortex.cortex("watch", "a", "/tmp/w").stderr()).contains("no such file or folder");
        }
    }

    private static String withoutRoot(String line) {
        return line.replaceAll("/\\S*/workspace/", "").replaceAll(" +", " ");
    }

    /** A {@code cortex watch} that runs. */
    private record Watch(Process process, Path out) implements AutoCloseable {
        static Watch of(CortexHome cortex, String... words) throws Exception {
            Path out = cortex.folder().resolve("watch-out");
            Path err = cortex.folder().resolve("watch-err");
            Process process = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()), out, err, words);
            CortexHome.await(() -> Files.exists(err) && Files.readString(err).contains("watching"), "the watch");
            return new Watch(process, out);
        }

        List<String> lines() throws java.io.IOException {
            return Files.readAllLines(out);
        }

        @Override
        public void close() throws InterruptedException {
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
