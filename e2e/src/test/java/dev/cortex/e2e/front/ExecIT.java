package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What exec promises, through the CLI, on a real runtime. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ExecIT {
    private final CortexHome cortex = CortexHome.open();

    @BeforeAll
    void createSandbox() throws Exception {
        cortex.cortex("create", "a").succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    private CortexHome.Outcome exec(String... argv) throws Exception {
        String[] words = new String[argv.length + 3];
        words[0] = "exec";
        words[1] = "a";
        words[2] = "--";
        System.arraycopy(argv, 0, words, 3, argv.length);
        return cortex.cortex(words);
    }

    @Test
    void stdoutIsTheProgramsAndStderrToo() throws Exception {
        CortexHome.Outcome outcome = exec("sh", "-c", "echo out; echo err >&2; exit 3");

        assertThat(outcome.stdout()).isEqualTo("out\n");
        assertThat(outcome.stderr()).isEqualTo("err\n");
        assertThat(outcome.status()).isEqualTo(3);
    }

    @Test
    void aSignalIsToldAsAShellWould() throws Exception {
        assertThat(exec("sh", "-c", "kill -TERM $$").status()).isEqualTo(128 + 15);
    }

    @Test
    void aCommandThatIsNotThereEndsWith127() throws Exception {
        CortexHome.Outcome outcome = exec("no-such-program");

        assertThat(outcome.status()).isEqualTo(127);
        assertThat(outcome.stderr()).contains("no-such-program");
        assertThat(outcome.stdout()).isEmpty();
    }

    @Test
    void aFileThatIsNoProgramEndsWith126() throws Exception {
        assertThat(exec("/etc/passwd").status()).isEqualTo(126);
    }

    @Test
    void anOpenStdinDoesNotDelayTheEnd() throws Exception {
        Path out = Files.createTempFile(cortex.folder(), "o", "");
        Path err = Files.createTempFile(cortex.folder(), "e", "");
        Process process = cortex.start(ProcessBuilder.Redirect.PIPE, out, err, "exec", "a", "--", "echo", "done");

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readString(out)).isEqualTo("done\n");
    }

    @Test
    void aBackgroundChildThatHoldsStdoutDoesNotDelayTheEnd() throws Exception {
        CortexHome.Outcome outcome = exec("sh", "-c", "sleep 300 & echo parent");

        assertThat(outcome.succeeded().stdout()).isEqualTo("parent\n");
        exec("pkill", "-x", "sleep");
    }

    @Test
    void aTimeoutKillsGrandchildrenThatLeftTheProcessGroup() throws Exception {
        CortexHome.Outcome outcome = cortex.cortex(
                "exec",
                "a",
                "--timeout",
                "1s",
                "--",
                "sh",
                "-c",
                "setsid sh -c 'setsid sleep 4242 & sleep 4242' & sleep 4242");

        assertThat(outcome.status()).isEqualTo(124);
        assertThat(exec("pgrep", "-f", "sleep 4242").stdout().lines().filter(line -> !line.isBlank()))
                .isEmpty();
    }

    @Test
    void outputIsKeptAfterTheClientIsGone() throws Exception {
        String id = cortex.cortex("exec", "a", "--detach", "--", "sh", "-c", "echo kept; exit 7")
                .succeeded()
                .stdout()
                .strip();
        assertThat(id).matches("s_[0-9a-z]{16}");

        CortexHome.await(() -> cortex.cortex("attach", "a", id, "--from", "0").status() == 7, "the session's end");

        assertThat(cortex.cortex("attach", "a", id, "--from", "0").stdout()).isEqualTo("kept\n");
        assertThat(cortex.cortex("logs", "a", id).succeeded().stdout()).isEqualTo("kept\n");
    }

    @Test
    void twoClientsReadOneSession() throws Exception {
        String id = cortex.cortex(
                        "exec",
                        "a",
                        "--detach",
                        "--",
                        "sh",
                        "-c",
                        "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.1; done")
                .succeeded()
                .stdout()
                .strip();

        CortexHome.Outcome both = cortex.shell("cortex attach a " + id + " --from 0 --observe > one & "
                + "cortex attach a " + id + " --from 0 --observe > two & wait; cat one two");

        assertThat(both.stdout()).isEqualTo("1\n2\n3\n4\n5\n6\n7\n8\n9\n".repeat(2));
    }

    @Test
    void aSlowReaderLosesNothing() throws Exception {
        CortexHome.Outcome outcome =
                cortex.shell("cortex exec a -- seq 1 400000 | (sleep 2; cat) | md5sum; seq 1 400000 | md5sum");

        String[] sums = outcome.succeeded().stdout().split("\n");
        assertThat(sums[0]).isEqualTo(sums[1]);
    }

    @Test
    void aReaderThatGoesAwayEndsTheClientQuietly() throws Exception {
        CortexHome.Outcome outcome = cortex.shell("cortex exec a -- sh -c 'yes | head -c 3000000' | head -n 1");

        assertThat(outcome.stdout()).isEqualTo("y\n");
        assertThat(outcome.stderr()).doesNotContain("xception");
    }

    @Test
    void argumentsTravelByteForByte() throws Exception {
        assertThat(exec("printf", "[%s]", "", "a b", "ü", "*").succeeded().stdout())
                .isEqualTo("[][a b][ü][*]");
        CortexHome.Outcome raw = cortex.shell("LC_ALL=C cortex exec a -- printf %s $'\\xff\\xfe-\\x80' | od -An -tx1");
        assertThat(raw.succeeded().stdout().replaceAll("\\s", "")).isEqualTo("fffe2d80");
    }

    @Test
    void theLongestArgumentIsTakenAndALongerOneRefused() throws Exception {
        CortexHome.Outcome longest = cortex.shell(
                "cortex exec a -- sh -c 'printf %s \"$1\" | wc -c' sh \"$(head -c 131071 /dev/zero | tr '\\0' x)\"");
        assertThat(longest.succeeded().stdout().strip()).isEqualTo("131071");

        String json = "{\"session\":{\"argv\":[\"echo\",\"" + "x".repeat(131_072) + "\"]}}";
        assertThat(HttpDoor.to(cortex).post("/sandboxes/a/exec", json)).satisfies(answer -> {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).contains("INVALID_ARGUMENT").contains("131071");
        });
    }

    @Test
    void anArgumentWithNulIsRefused() throws Exception {
        HttpDoor.Answer answer =
                HttpDoor.to(cortex).post("/sandboxes/a/exec", "{\"session\":{\"argv\":[\"echo\",\"a\\u0000b\"]}}");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("INVALID_ARGUMENT");
    }

    @Test
    void outputThatIsNoTextIsKeptByteForByte() throws Exception {
        CortexHome.Outcome outcome = exec("printf", "\\377\\000\\200\\n");

        assertThat(outcome.bytes()).isEqualTo(new byte[] {(byte) 0xff, 0, (byte) 0x80, '\n'});
    }

    @Test
    void stdinReachesTheProgramAndItsEndToo() throws Exception {
        byte[] all = "x".repeat(3_000_000).getBytes(StandardCharsets.UTF_8);

        assertThat(cortex.cortex(all, "exec", "a", "--", "wc", "-c")
                        .succeeded()
                        .stdout()
                        .strip())
                .isEqualTo("3000000");
    }

    @Test
    void tenThousandShortChildrenOfOneSessionAreAllReaped() throws Exception {
        CortexHome.Outcome outcome = exec(
                "bash",
                "-c",
                "for ((i = 0; i < 10000; i++)); do /bin/true & (( i % 50 )) || wait; done; wait; ps -e | grep -c defunct");

        assertThat(outcome.stdout().strip()).isEqualTo("0");
    }

    @Test
    void aThousandExecsEachHaveTheirOwnStatus() throws Exception {
        HttpDoor door = HttpDoor.to(cortex);
        for (int i = 0; i < 1_000; i++) {
            HttpDoor.Answer answer =
                    door.post("/sandboxes/a/exec", "{\"session\":{\"argv\":[\"sh\",\"-c\",\"exit " + i % 256 + "\"]}}");
            assertThat(answer.status()).as("call %d: %s", i, answer.body()).isEqualTo(200);
            assertThat(answer.body()).contains("\"status\":" + i % 256);
        }
    }
}
