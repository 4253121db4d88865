package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What {@code oci} keeps from what runs in it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class IsolationIT {
    private final CortexHome cortex = CortexHome.open();

    @BeforeAll
    void createSandbox() throws Exception {
        cortex.cortex("create", "jail").succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    private CortexHome.Outcome sh(String script) throws Exception {
        return cortex.cortex("exec", "jail", "--", "sh", "-c", script);
    }

    @Test
    void theAgentHasNoRights() throws Exception {
        String status = sh("cat /proc/self/status").succeeded().stdout();

        assertThat(status)
                .containsPattern("CapEff:\\s+0000000000000000")
                .containsPattern("CapPrm:\\s+0000000000000000")
                .containsPattern("Seccomp:\\s+2")
                .containsPattern("NoNewPrivs:\\s+1");
        assertThat(sh("id -u; id -g").succeeded().stdout()).isEqualTo("1000\n1000\n");
    }

    @Test
    void noFileOfTheHostIsThere() throws Exception {
        Path secret = Files.writeString(cortex.folder().resolve("secret"), "s");

        assertThat(sh("cat '" + secret + "' /etc/shadow /root/.bashrc").status())
                .isNotZero();
        assertThat(sh("ls -A /root /opt /srv /mnt /media /boot 2>/dev/null")
                        .stdout()
                        .lines()
                        .filter(line -> !line.isBlank() && !line.endsWith(":")))
                .isEmpty();
        assertThat(sh("cat /proc/self/mountinfo /proc/1/mountinfo /proc/1/cmdline")
                        .stdout())
                .doesNotContain(cortex.folder().toString());
    }

    @Test
    void noProcessOfTheHostIsThere() throws Exception {
        assertThat(sh("ls -d /proc/[0-9]* | wc -l").succeeded().stdout().strip())
                .matches("[1-9]");
        assertThat(sh("ls -l /proc/1/exe /proc/1/fd /proc/1/root").status()).isNotZero();
    }

    @Test
    void aConnectionAndANameLookupFailAtOnce() throws Exception {
        String script = "import socket,time\nt=time.time()\n"
                + "for f in (lambda: socket.create_connection(('198.51.100.1',80),30), lambda: socket.getaddrinfo('example.com',80)):\n"
                + "  try:\n    f(); print('reached')\n  except OSError as e: print('refused')\n"
                + "print('quick' if time.time()-t < 5 else 'slow')\n";

        assertThat(cortex.cortex("exec", "jail", "--", "python3", "-c", script)
                        .succeeded()
                        .stdout())
                .isEqualTo("refused\nrefused\nquick\n");
    }

    @Test
    void theBaseIsReadOnlyAndTheMachineIsOutOfReach() throws Exception {
        for (String refused : new String[] {
            "touch /usr/bin/x",
            "echo x > /proc/sys/kernel/core_pattern",
            "mount -t tmpfs t /mnt",
            "unshare -U true",
            "unshare -m true",
            "echo 1 > /run/cortex/neuron",
            "mknod /tmp/d b 8 0",
            "kill -9 1 && sleep 1 && false",
            "dmesg -c",
            "chroot / true"
        }) {
            assertThat(sh(refused).status()).as(refused).isNotZero();
        }
        assertThat(sh("echo still here").succeeded().stdout()).isEqualTo("still here\n");
    }

    @Test
    void aLimitOfProcessesHolds() throws Exception {
        cortex.cortex("create", "few", "--pids", "64").succeeded();

        CortexHome.Outcome outcome =
                cortex.cortex("exec", "few", "--", "sh", "-c", "for i in $(seq 200); do sleep 20 & done 2>&1");
        assertThat(outcome.stdout() + outcome.stderr()).containsIgnoringCase("cannot fork");
        assertThat(cortex.cortex("exec", "few", "--", "echo", "usable")
                        .succeeded()
                        .stdout())
                .isEqualTo("usable\n");
        cortex.cortex("rm", "--force", "--wipe", "few").succeeded();
    }

    @Test
    void aLimitOfMemoryHolds() throws Exception {
        cortex.cortex("create", "small", "--memory", "128M").succeeded();

        CortexHome.Outcome outcome =
                cortex.cortex("exec", "small", "--", "python3", "-c", "x=bytearray(400<<20); print('had it')");
        assertThat(outcome.stdout()).doesNotContain("had it");
        assertThat(outcome.status()).isNotZero();
        assertThat(cortex.cortex("exec", "small", "--", "echo", "usable")
                        .succeeded()
                        .stdout())
                .isEqualTo("usable\n");
        cortex.cortex("rm", "--force", "--wipe", "small").succeeded();
    }
}
