package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Clients and daemons die; sessions and their output do not. */
final class ReattachIT {
    private static final String COUNT = "i=0; while :; do echo $i; i=$((i+1)); sleep 0.01; done";

    @Test
    void aSessionGoesOnWithoutOneNumberMissingOrTwice() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            String id = cortex.cortex("exec", "a", "--detach", "--", "sh", "-c", COUNT)
                    .succeeded()
                    .stdout()
                    .strip();
            Path first = cortex.folder().resolve("first");
            Process client = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()),
                    first,
                    cortex.folder().resolve("first-err"),
                    "attach",
                    "a",
                    id,
                    "--from",
                    "0",
                    "--observe");
            CortexHome.await(() -> Files.size(first) > 400, "some numbers");

            new ProcessBuilder("kill", "-9", Long.toString(client.pid()))
                    .start()
                    .waitFor();
            client.waitFor();
            cortex.killDaemon();
            long cursor = Files.size(first);
            Path second = cortex.folder().resolve("second");
            Process again = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()),
                    second,
                    cortex.folder().resolve("second-err"),
                    "attach",
                    "a",
                    id,
                    "--from",
                    Long.toString(cursor),
                    "--observe");
            CortexHome.await(() -> Files.exists(second) && Files.size(second) > 1_000, "numbers after the crash");
            new ProcessBuilder("kill", "-9", Long.toString(again.pid())).start().waitFor();
            again.waitFor();

            assertConsecutive(Files.readString(first) + Files.readString(second));
        }
    }

    @Test
    void clientsThatComeAtOnceStartOneDaemon() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.shell("for i in $(seq 12); do cortex ls >out$i 2>&1 & pids=\"$pids $!\"; done;"
                            + " for p in $pids; do wait $p || exit 1; done")
                    .succeeded();
            String log = Files.readString(cortex.home().resolve("daemon.log"));
            assertThat(log.lines().filter(line -> line.startsWith("cortex: serving ")))
                    .as(log)
                    .hasSize(1);
            assertThat(log).doesNotContain("is owned by");
        }
    }

    @Test
    void anAttachedClientReconnectsByItselfAndMissesNothing() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            Path out = cortex.folder().resolve("out");
            Path err = cortex.folder().resolve("err");
            Process client = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()),
                    out,
                    err,
                    "exec",
                    "a",
                    "--",
                    "sh",
                    "-c",
                    "i=0; while [ $i -lt 600 ]; do echo $i; i=$((i+1)); sleep 0.01; done; exit 5");
            CortexHome.await(() -> Files.exists(out) && Files.size(out) > 200, "some numbers");

            cortex.killDaemon();

            assertThat(client.waitFor()).isEqualTo(5);
            assertConsecutive(Files.readString(out));
            assertThat(Files.readString(out)).endsWith("599\n");
            assertThat(Files.readString(err)).contains("nothing missing");
        }
    }

    @Test
    void sandboxesOutliveADaemonThatIsAskedToEnd() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            cortex.cortex("exec", "a", "--", "sh", "-c", "echo kept > /tmp/in-memory")
                    .succeeded();

            cortex.cortex("serve", "--stop").succeeded();

            assertThat(cortex.cortex("exec", "a", "--", "cat", "/tmp/in-memory")
                            .succeeded()
                            .stdout())
                    .isEqualTo("kept\n");
        }
    }

    @Test
    void theDiskOutlivesStopAndRemoveUnderItsName() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            cortex.cortex("exec", "a", "--", "sh", "-c", "echo here > file").succeeded();
            cortex.cortex("stop", "a").succeeded();
            cortex.cortex("start", "a").succeeded();
            assertThat(cortex.cortex("exec", "a", "--", "cat", "file")
                            .succeeded()
                            .stdout())
                    .isEqualTo("here\n");

            cortex.cortex("rm", "--force", "a").succeeded();
            assertThat(cortex.cortex("ls", "--all").succeeded().stdout()).contains("a");
            cortex.cortex("create", "a").succeeded();
            assertThat(cortex.cortex("exec", "a", "--", "cat", "file")
                            .succeeded()
                            .stdout())
                    .isEqualTo("here\n");

            cortex.cortex("rm", "--force", "--wipe", "a").succeeded();
            cortex.cortex("create", "a").succeeded();
            assertThat(cortex.cortex("exec", "a", "--", "cat", "file").status()).isEqualTo(1);
        }
    }

    @Test
    void outputOfAStoppedSandboxCanStillBeRead() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            String id = cortex.cortex("exec", "a", "--detach", "--", "sh", "-c", "echo before; exec sleep 300")
                    .succeeded()
                    .stdout()
                    .strip();
            CortexHome.await(() -> cortex.cortex("logs", "a", id).stdout().equals("before\n"), "its output");

            cortex.cortex("stop", "a").succeeded();

            assertThat(cortex.cortex("logs", "a", id).succeeded().stdout()).isEqualTo("before\n");
            assertThat(cortex.cortex("sessions", "a").succeeded().stdout()).contains(id.substring(0, 6));
        }
    }

    private static void assertConsecutive(String text) {
        Matcher numbers = Pattern.compile("\\d+").matcher(text.substring(0, text.lastIndexOf('\n') + 1));
        List<String> seen = numbers.results().map(result -> result.group()).toList();
        assertThat(seen).isNotEmpty();
        for (int i = 0; i < seen.size(); i++) {
            assertThat(seen.get(i)).as("number %d", i).isEqualTo(Integer.toString(i));
        }
    }
}
