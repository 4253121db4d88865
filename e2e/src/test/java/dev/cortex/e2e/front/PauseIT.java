package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Pause, resume, reset and the end of a sandbox's time, through the front door. */
final class PauseIT {
    private static final String COUNT = "i=0; while [ $i -lt 400 ]; do echo $i; i=$((i+1)); sleep 0.01; done; exit 5";

    @Test
    void anAttachedClientMissesNothingOverAPauseInWhichTheDaemonIsKilled() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            Path out = cortex.folder().resolve("out");
            Process client = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()),
                    out,
                    cortex.folder().resolve("err"),
                    "exec",
                    "a",
                    "--",
                    "sh",
                    "-c",
                    COUNT);
            CortexHome.await(() -> Files.exists(out) && Files.size(out) > 100, "some numbers");

            assertThat(cortex.cortex("pause", "a").succeeded().stdout()).isEqualTo("a  paused\n");
            Thread.sleep(200);
            long still = Files.size(out);
            assertThat(cortex.cortex("ls").succeeded().stdout()).contains("paused by you");
            assertThat(cortex.cortex("sessions", "a").succeeded().stdout()).contains("running");
            assertThat(cortex.cortex("logs", "a").succeeded().stdout()).startsWith("0\n1\n2\n");
            CortexHome.Outcome refused = cortex.cortex("exec", "a", "--", "true");
            assertThat(refused.status()).isEqualTo(125);
            assertThat(refused.stderr()).contains("a is paused").contains("cortex resume a");
            CortexHome.Outcome again = cortex.cortex("pause", "a");
            assertThat(again.status()).isEqualTo(1);
            assertThat(again.stderr())
                    .contains("a is already paused")
                    .contains("from paused you can: resume, stop, rm");
            assertThat(Files.size(out)).isEqualTo(still);

            cortex.killDaemon();
            assertThat(cortex.cortex("ls").succeeded().stdout()).contains("paused");
            cortex.cortex("resume", "a").succeeded();

            assertThat(client.waitFor()).isEqualTo(5);
            String[] lines = Files.readString(out).split("\n");
            assertThat(lines).hasSize(400);
            for (int i = 0; i < lines.length; i++) {
                assertThat(lines[i]).isEqualTo(Integer.toString(i));
            }
        }
    }

    @Test
    void aPausedSandboxIsStoppedWithWhatItHadSaid() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            cortex.cortex("exec", "a", "--detach", "--", "sh", "-c", "echo said; sleep 1000")
                    .succeeded();
            CortexHome.await(
                    () -> cortex.cortex("logs", "a").succeeded().stdout().equals("said\n"), "its words");
            cortex.cortex("pause", "a").succeeded();
            cortex.cortex("stop", "a").succeeded();
            assertThat(cortex.cortex("logs", "a").succeeded().stdout()).isEqualTo("said\n");
            cortex.cortex("start", "a").succeeded();
            assertThat(cortex.cortex("exec", "a", "--", "echo", "on")
                            .succeeded()
                            .stdout())
                    .isEqualTo("on\n");
        }
    }

    @Test
    void whatIsIdleForTooLongStopsAndSaysWhy() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a", "--idle-timeout", "2s").succeeded();
            assertThat(cortex.cortex("inspect", "a").succeeded().stdout()).contains("2s when idle, then stop");
            CortexHome.await(() -> cortex.cortex("ls").succeeded().stdout().contains("stopped"), "its end");
            assertThat(cortex.cortex("ls").succeeded().stdout())
                    .contains("idle for ")
                    .contains("limit 2s");
        }
    }

    @Test
    void aTimeThatEndsInAPauseKeepsWhatRuns() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a", "--timeout", "3s", "--then", "pause").succeeded();
            cortex.cortex("exec", "a", "--", "sh", "-c", "echo kept > /tmp/in-memory")
                    .succeeded();
            CortexHome.await(() -> cortex.cortex("ls").succeeded().stdout().contains("paused"), "its pause");
            cortex.cortex("resume", "a").succeeded();
            assertThat(cortex.cortex("exec", "a", "--", "cat", "/tmp/in-memory")
                            .succeeded()
                            .stdout())
                    .isEqualTo("kept\n");
        }
    }
}
