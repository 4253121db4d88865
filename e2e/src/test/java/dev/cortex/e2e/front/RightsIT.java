package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who sessions are, what they may call, and the limits that programs see of themselves. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RightsIT {
    private final CortexHome cortex = CortexHome.open().with("CORTEX_RUNTIME", "crun");

    @BeforeAll
    void createSandboxes() throws Exception {
        cortex.cortex("create", "box", "--memory", "600M", "--cpus", "1").succeeded();
        cortex.cortex("create", "rootless", "--no-root").succeeded();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    private CortexHome.Outcome sh(String sandbox, String script) throws Exception {
        return cortex.cortex("exec", sandbox, "--", "sh", "-c", script);
    }

    private CortexHome.Outcome root(String script) throws Exception {
        return cortex.cortex("exec", "--user", "root", "box", "--", "sh", "-c", script);
    }

    @Test
    void sudoAndUserRootAreTheSandboxesRootWithTheFewCapabilitiesOfPackageManagers() throws Exception {
        for (CortexHome.Outcome outcome : new CortexHome.Outcome[] {
            sh("box", "sudo sh -c 'id -u; id -g; cat /proc/self/status'"), root("id -u; id -g; cat /proc/self/status")
        }) {
            // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, SYS_CHROOT,
            // SETFCAP.
            assertThat(outcome.succeeded().stdout())
                    .startsWith("0\n0\n")
                    .containsPattern("CapEff:\\s+00000000800405fb")
                    .containsPattern("CapBnd:\\s+00000000800405fb")
                    .containsPattern("NoNewPrivs:\\s+1")
                    .containsPattern("Seccomp:\\s+2");
        }
    }

    @Test
    void sudoPassesDirectoryStreamsAndStatus() throws Exception {
        assertThat(sh("box", "cd /usr/lib && echo in | sudo sh -c 'pwd; cat; echo err >&2; exit 7'"))
                .satisfies(outcome -> {
                    assertThat(outcome.status()).isEqualTo(7);
                    assertThat(outcome.stdout()).isEqualTo("/usr/lib\nin\n");
                    assertThat(outcome.stderr()).isEqualTo("err\n");
                });
        assertThat(sh("box", "sudo sh -c 'kill -TERM $$'").status()).isEqualTo(128 + 15);
        assertThat(sh("box", "A=1 sudo B=2 sh -c 'echo [$A] $B $HOME $SUDO_USER'")
                        .stdout())
                .isEqualTo("[] 2 /root agent\n");
    }

    @Test
    void whatSudoStartedDiesWithItsSession() throws Exception {
        CortexHome.Outcome timedOut = cortex.cortex(
                "exec", "--timeout", "2s", "box", "--", "sh", "-c", "sudo sh -c 'setsid sleep 4711 & sleep 4711'");
        assertThat(timedOut.status()).isEqualTo(124);
        assertThat(sh("box", "pgrep -f 'sleep 471[1]'").stdout()).isEmpty();
    }

    @Test
    void withoutRootBothAreDeniedWithTheRemedy() throws Exception {
        CortexHome.Outcome sudo = sh("rootless", "sudo id");
        assertThat(sudo.status()).isOne();
        assertThat(sudo.stderr()).contains("DENIED", "make the sandbox without --no-root");
        CortexHome.Outcome session = cortex.cortex("exec", "--user", "root", "--json", "rootless", "--", "id");
        assertThat(session.status()).isEqualTo(125);
        assertThat(session.stdout()).contains("\"code\":\"DENIED\"", "without --no-root");
        assertThat(cortex.cortex("hello".getBytes(StandardCharsets.UTF_8), "cp", "-", "rootless:file")
                        .succeeded()
                        .status())
                .isZero();
        assertThat(cortex.cortex("inspect", "rootless").stdout()).contains("no root, seccomp default");
    }

    @Test
    void anUnknownListIsRefusedByItsName() throws Exception {
        CortexHome.Outcome outcome = cortex.cortex("create", "other", "--seccomp", "all");
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.stderr()).contains("'all'", "default, nested, debug");
    }

    @ParameterizedTest
    @CsvSource({"default, refused, refused", "nested, works, refused", "debug, refused, works"})
    void aListLetsThroughWhatItSays(String list, String namespaces, String tracing) throws Exception {
        String trace =
                "import ctypes, os, sys; c = ctypes.CDLL(None);" + " sys.exit(0 if c.ptrace(0, 0, 0, 0) == 0 else 1)";
        String script = "unshare -Urm true 2>/dev/null && echo works || echo refused;" + " python3 -c '" + trace
                + "' && echo works || echo refused";
        assertThat(cortex.cortex("run", "--seccomp", list, "--", "sh", "-c", script)
                        .succeeded()
                        .stdout())
                .isEqualTo(namespaces + "\n" + tracing + "\n");
    }

    @Test
    void javaNodeAndNprocSeeTheLimits() throws Exception {
        String home = System.getProperty("java.home");
        String java = home.startsWith("/usr/") ? home + "/bin/java" : "java";
        cortex.cortex("""
                        public class Limits {
                            public static void main(String[] words) {
                                Runtime machine = Runtime.getRuntime();
                                System.out.println(machine.availableProcessors() + " " + (machine.maxMemory() >> 20));
                            }
                        }
                        """.getBytes(StandardCharsets.UTF_8), "cp", "-", "box:Limits.java")
                .succeeded();
        String[] seen =
                sh("box", java + " Limits.java").succeeded().stdout().strip().split(" ");
        assertThat(seen[0]).isEqualTo("1");
        // A quarter of 600 MiB, less what the collector keeps for itself.
        assertThat(Integer.parseInt(seen[1])).isBetween(120, 150);
        assertThat(sh("box", "nproc; node -p 'process.constrainedMemory() >> 20'")
                        .succeeded()
                        .stdout())
                .isEqualTo("1\n600\n");
    }

    @Test
    void controlGroupsAreReadOnlyForRootToo() throws Exception {
        for (String refused : new String[] {
            "mkdir /sys/fs/cgroup/memory/mine /sys/fs/cgroup/mine",
            "echo $$ > /sys/fs/cgroup/memory/tasks || echo $$ > /sys/fs/cgroup/cgroup.procs",
            "echo 1000000000 > /sys/fs/cgroup/memory/memory.limit_in_bytes || echo max > /sys/fs/cgroup/memory.max",
            "mount -o remount,rw /sys/fs/cgroup",
            "mount -t cgroup2 none /mnt || mount -t cgroup -o memory none /mnt"
        }) {
            assertThat(root(refused).status()).as(refused).isNotZero();
        }
    }

    @Test
    void rootCanNeitherTraceNorSignalNorReadNorSlowNorLimitTheNeuron() throws Exception {
        for (String refused : new String[] {
            "kill -9 1; kill -STOP 1; kill -QUIT 1; sleep 0.3; false",
            "head -c 1 /proc/1/mem",
            "head -c 1 /proc/1/environ",
            "readlink /proc/1/exe",
            "readlink /proc/1/fd/3",
            "renice -n 19 -p 1",
            "taskset -p 1 1",
            "chrt --idle -p 0 1",
            "ionice -c 3 -p 1",
            "prlimit --pid 1 --cpu=1:1",
            "prlimit --pid 1 --nofile=3",
            "echo x > /run/cortex/neuron"
        }) {
            assertThat(root(refused).status()).as(refused).isNotZero();
        }
        assertThat(sh("box", "echo lives").succeeded().stdout()).isEqualTo("lives\n");
    }
}
