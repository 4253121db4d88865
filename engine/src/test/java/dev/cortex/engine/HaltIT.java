package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.State;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that owns a home ends as by kill -9, with real sandboxes: the next one finds every record legal and no
 * process that no record knows. {@code CrashTest} does the same at every step, over a fake machine.
 */
final class HaltIT {
    @ParameterizedTest
    @CsvSource({
        "process, create.recorded",
        "process, driver.started",
        "process, handle.stored",
        "process, guest.initialized",
        "process, create.primary",
        "process, stop.begun",
        "process, stop.drained",
        "process, stop.released",
        "process, erase.stopped",
        "process, erase.folder",
        "oci, driver.started",
        "oci, guest.initialized",
        "oci, create.completed",
        "oci, stop.shutdown",
        "oci, erase.disk"
    })
    void theNextOwnerCleansUpOrGoesOn(String driver, String step) throws Exception {
        try (TestHome home = new TestHome()) {
            assertThat(halt(home, step, driver)).isEqualTo(137);
            Cortex next = home.reopen();
            List<SandboxRow> rows = next.sandboxes().list("", 9);
            assertThat(rows).extracting(SandboxRow::state).doesNotContain(State.ERROR);
            rows.stream()
                    .filter(row -> row.state() == State.RUNNING)
                    .forEach(row -> assertThat(next.sandbox(row.name())
                                    .exec("echo", "alive")
                                    .stdout())
                            .contains("alive\n"));
            if (rows.isEmpty()) {
                assertThat(processesOf(home))
                        .as("processes that no record knows")
                        .isEmpty();
                assertThat(home.home().folder().resolve("sandboxes"))
                        .satisfiesAnyOf(
                                folder -> assertThat(folder).doesNotExist(),
                                folder -> assertThat(folder).isEmptyDirectory());
            }
        }
    }

    private static int halt(TestHome home, String step, String driver) throws Exception {
        Process child = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dcortex.install=" + System.getProperty("cortex.install"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        HaltingMain.class.getName(),
                        home.home().folder().toString(),
                        home.home().runFolder().toString(),
                        step,
                        driver)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return child.waitFor();
    }

    /** Processes whose environment names this home, or that were started for one of its sandboxes. */
    static Map<Long, String> processesOf(TestHome home) throws IOException {
        String folder = home.home().folder().toString();
        Map<Long, String> found = new java.util.HashMap<>();
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            for (Path process :
                    all.filter(p -> p.getFileName().toString().matches("\\d+")).toList()) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (pid != ProcessHandle.current().pid()
                        && read(process.resolve("environ")).contains(folder)) {
                    found.put(pid, read(process.resolve("cmdline")).replace('\0', ' '));
                }
            }
        }
        return found;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
