package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.Limits;
import dev.cortex.testkit.driver.Shell;
import dev.cortex.testkit.driver.Trial;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A greedy program meets its sandbox's limits, and the sandbox lives on. Needs root and crun. */
final class OciLimitsIT {
    private static final long MEMORY = 256L << 20;
    private static final Limits LIMITS = new Limits(MEMORY, 1, 200, 0);

    private static final OciSubject SUBJECT = new OciSubject("host");

    private Trial trial;
    private Shell shell;

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }

    @BeforeEach
    void start() {
        trial = new Trial(SUBJECT, 0, LIMITS);
        shell = trial.shell(trial.start());
    }

    @AfterEach
    void stop() {
        shell.close();
        trial.close();
    }

    private String agent(String script) {
        return shell.run(script).output();
    }

    private void assertAlive() {
        assertThat(agent("echo alive")).isEqualTo("alive\n");
    }

    @Test
    void theLimitsAreSeenInside() {
        assertThat(agent("cd /sys/fs/cgroup; cat memory/memory.limit_in_bytes 2>/dev/null || cat memory.max"))
                .isEqualTo(MEMORY + "\n");
        assertThat(agent("cd /sys/fs/cgroup; cat pids/pids.max 2>/dev/null || cat pids.max"))
                .isEqualTo("200\n");
        assertThat(agent("nproc")).isEqualTo("1\n");
    }

    @Test
    void oneProcessTooManyIsRefused() {
        String script = """
                import os, signal
                children = []
                try:
                    for _ in range(400):
                        pid = os.fork()
                        if pid == 0:
                            signal.pause()
                        children.append(pid)
                    print("no limit")
                except BlockingIOError:
                    print("refused", 100 < len(children) < 200)
                for pid in children:
                    os.kill(pid, signal.SIGKILL)
                """;
        assertThat(shell.runCommand("", "/usr/bin/python3", "-c", script).output())
                .isEqualTo("refused True\n");
        assertAlive();
    }

    @Test
    void aForkBombIsEndedWithItsSession() {
        String bomb = shell.begin("b() { b | b & }; b; sleep 600");
        shell.guest().removeSession(bomb);
        assertAlive();
    }

    @Test
    void memoryBeyondTheLimitKillsTheGreedy() {
        Shell.Outcome greedy =
                shell.runCommand("", "/usr/bin/python3", "-c", "b = []\nwhile True: b.append(bytearray(1 << 20))");
        assertThat(greedy.ok()).isFalse();
        assertAlive();
    }

    @Test
    void aFullTmpIsTheWritersError() {
        assertThat(agent("head -c 300M /dev/zero >/tmp/full 2>/dev/null; echo $?; rm /tmp/full"))
                .isEqualTo("1\n");
        assertAlive();
    }

    @Test
    void aFullSharedMemoryIsTheWritersError() {
        assertThat(agent("head -c 300M /dev/zero >/dev/shm/full 2>/dev/null; echo $?; rm /dev/shm/full"))
                .isEqualTo("1\n");
        assertAlive();
    }
}
