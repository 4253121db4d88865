package dev.cortex.drivers.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Observation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The golden records lie beside the Go side's own test of them. */
final class LauncherRecordsTest {
    private static final Path GOLDEN = Path.of("../native/internal/launch/testdata");

    private static JsonNode golden(String name) throws IOException {
        return LauncherJson.MAPPER.readTree(Files.readString(GOLDEN.resolve(name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"start-oci.json", "start-oci-rootless.json", "start-process.json"})
    void nothingOfAStartRequestIsLostOnTheWay(String name) throws IOException {
        JsonNode golden = golden(name);
        LaunchSpec spec = LauncherJson.MAPPER.treeToValue(golden, LaunchSpec.class);
        assertContains(golden, LauncherJson.MAPPER.valueToTree(spec), name);
    }

    @Test
    void nothingOfAStopRequestIsLostOnTheWay() throws IOException {
        JsonNode golden = golden("stop.json");
        StopSpec spec = LauncherJson.MAPPER.treeToValue(golden, StopSpec.class);
        assertContains(golden, LauncherJson.MAPPER.valueToTree(spec), "stop");
    }

    @Test
    void nothingOfAPauseRequestIsLostOnTheWay() throws IOException {
        JsonNode golden = golden("pause.json");
        PauseSpec spec = LauncherJson.MAPPER.treeToValue(golden, PauseSpec.class);
        assertContains(golden, LauncherJson.MAPPER.valueToTree(spec), "pause");
    }

    @Test
    void nothingOfAnObserveRequestIsLostOnTheWay() throws IOException {
        JsonNode golden = golden("observe.json");
        ObserveSpec spec = LauncherJson.MAPPER.treeToValue(golden, ObserveSpec.class);
        assertContains(golden, LauncherJson.MAPPER.valueToTree(spec), "observe");
    }

    @Test
    void theAnswersAreUnderstood() throws IOException {
        Started started = LauncherJson.MAPPER.treeToValue(golden("started.json"), Started.class);
        assertThat(started.first())
                .isEqualTo(new FirstProcess(4711, 1_234_567, "5b0f3a0e-4a8f-4a9e-9a6a-7f3b8c1d2e4f"));
        assertThat(started.socket().inode()).isEqualTo(4242);

        Stopped stopped = LauncherJson.MAPPER.treeToValue(golden("stopped.json"), Stopped.class);
        assertThat(stopped.remaining()).hasSize(1);
        assertThat(stopped.remaining().getFirst().toString()).startsWith("cgroup /sys/fs/cgroup/memory/");
        assertThat(stopped.counters()).contains(new Stopped.Counters(1, 2L << 30, 0));

        Observed observed = LauncherJson.MAPPER.treeToValue(golden("observed.json"), Observed.class);
        assertThat(observed.of("sb_01kb8q5v3mfxw4s6y2r9t7c1ah")).isEqualTo(Observation.ABSENT);
        assertThat(observed.of("sb_01kb8q5v3mfxw4s6y2r9t7c1aj")).isEqualTo(Observation.RUNNING);
        assertThat(observed.of("sb_that_nobody_spoke_of")).isEqualTo(Observation.UNKNOWN);

        Probed probed = LauncherJson.MAPPER.treeToValue(golden("probed.json"), Probed.class);
        assertThat(probed.root()).isTrue();
        assertThat(probed.cgroup().has("memory")).isTrue();
        assertThat(probed.runtimes())
                .containsExactly(new Probed.Runtime(
                        "crun", "/usr/bin/crun", Optional.of("crun version 1.8.1"), Optional.empty()));
    }

    @Test
    void aNullListInAnAnswerIsAnEmptyOne() {
        Stopped stopped = LauncherJson.MAPPER.readValue("{\"killed\":0,\"remaining\":null}", Stopped.class);
        assertThat(stopped.remaining()).isEqualTo(List.of());
    }

    @Test
    void anErrorKeepsItsCodeMessageAndRemedy() throws IOException {
        assertThat(Launcher.failure(golden("failed.json"))).hasValueSatisfying(error -> {
            assertThat(error.code()).isEqualTo(ErrorCode.DRIVER_FAILED);
            assertThat(error).hasMessage("crun: mount proc to proc: Operation not permitted");
            assertThat(error.remedy())
                    .hasValueSatisfying(remedy -> assertThat(remedy).contains("runtime.log"));
        });
    }

    @Test
    void anErrorOfAnUnknownCodeIsTheDrivers() {
        JsonNode answer = LauncherJson.MAPPER.readTree("{\"error\":{\"code\":\"ODD\",\"message\":\"m\"}}");
        assertThat(Launcher.failure(answer))
                .hasValueSatisfying(error -> assertThat(error.code()).isEqualTo(ErrorCode.DRIVER_FAILED));
    }

    private static void assertContains(JsonNode golden, JsonNode written, String where) {
        if (golden.isObject()) {
            golden.properties()
                    .forEach(field -> assertContains(
                            field.getValue(), written.path(field.getKey()), where + "." + field.getKey()));
        } else if (golden.isArray()) {
            assertThat(written.size()).as(where).isEqualTo(golden.size());
            for (int i = 0; i < golden.size(); i++) {
                assertContains(golden.get(i), written.path(i), where + "[" + i + "]");
            }
        } else {
            assertThat(written.toString()).as(where).isEqualTo(golden.toString());
        }
    }
}
