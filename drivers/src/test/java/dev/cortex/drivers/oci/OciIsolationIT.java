package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.testkit.driver.Shell;
import dev.cortex.testkit.driver.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a sandbox of the image {@code host} is kept from, and what it can do all the same. Needs root and crun. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OciIsolationIT {
    private final OciSubject subject = new OciSubject("host");
    private Trial trial;
    private Shell shell;

    @BeforeAll
    void start() {
        assertThat(subject.driver().check().missing())
                .as("run ./dev test, which installs what is missing")
                .isEmpty();
        trial = new Trial(subject, 0);
        shell = trial.shell(trial.start());
    }

    @AfterAll
    void stop() {
        shell.close();
        trial.close();
        subject.close();
    }

    private String agent(String script) {
        return shell.run(script).output();
    }

    private String root(String script) {
        return shell.run("root", script).output();
    }

    @Test
    void theDefaultUserIsAgentWithoutAnyPower() {
        assertThat(agent("id -un; id -u; pwd; echo $HOME"))
                .isEqualTo("agent\n1000\n/home/agent/workspace\n/home/agent\n");
        assertThat(agent("cat /proc/self/status"))
                .containsPattern("CapEff:\\s+0000000000000000\n")
                .containsPattern("CapPrm:\\s+0000000000000000\n")
                .containsPattern("CapAmb:\\s+0000000000000000\n")
                .containsPattern("Seccomp:\\s+2\n")
                .containsPattern("NoNewPrivs:\\s+1\n");
    }

    @Test
    void rootInsideIsAnOrdinaryUserOfTheHost() throws IOException {
        String session = shell.begin("exec sleep 600");
        assertThat(root("cat /proc/self/uid_map"))
                .containsPattern("^\\s*0\\s+1[89]\\d{8}\\s+65536\\n|^\\s*0\\s+2\\d{9}\\s+65536\\n");
        long first = Long.parseLong(
                Files.readString(trial.request().runFolder().resolve("pid")).strip());
        long uid = ((Integer) Files.getAttribute(Path.of("/proc/" + first), "unix:uid")).longValue();
        // An untraceable process belongs to root in /proc; its status tells the truth.
        assertThat(Files.readString(Path.of("/proc/" + first + "/status")))
                .containsPattern("Uid:\\s+" + UidReserve.base(trial.request().home(), 0) + "\\s");
        assertThat(uid).isNotNegative();
        shell.guest().removeSession(session);
    }

    @Test
    void theRootHoldsTheImageAndNothingElse() {
        assertThat(Set.of(agent("ls -A /").split("\n")))
                .isSubsetOf(
                        "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt",
                        "proc", "root", "run", "sbin", "srv", "sys", "tmp", "usr", "var");
        assertThat(root("ls -A /boot /home /media /mnt /opt /root /srv /var/lib /var/log")
                        .lines())
                .filteredOn(line -> !line.isEmpty() && !line.endsWith(":"))
                .containsOnly("agent");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/etc/shadow",
                "/etc/sudoers",
                "/etc/ssh",
                "/etc/fstab.d",
                "/var/lib/dpkg",
                "/var/run/docker.sock",
                "/root/.bashrc",
                "/root/.m2",
                "/etc/npmrc",
                "/etc/pip.conf",
                "/sys/firmware/dmi",
                "/proc/kcore/x"
            })
    void noFileOfTheHostIsThereThatTheImageDoesNotHave(String path) {
        assertThat(shell.run("root", "test -e " + path).ok()).isFalse();
    }

    @Test
    void theHostsOwnFolderOfThisTestIsNotThere() {
        assertThat(shell.run("root", "ls " + trial.request().folder()).ok()).isFalse();
        assertThat(shell.run("root", "ls " + trial.request().disk()).ok()).isFalse();
    }

    @Test
    void noPathOfTheHostShowsInItsMounts() {
        assertThat(agent("cat /proc/self/mountinfo"))
                .contains("/run/cortex/neuron")
                .doesNotContain(trial.folder().toString())
                .doesNotContain(System.getProperty("cortex.install"));
    }

    @Test
    void onlyItsOwnProcessesAreSeen() {
        assertThat(agent("cat /proc/1/comm")).isEqualTo("neuron\n");
        assertThat(agent("ls -d /proc/[0-9]* | wc -l").strip())
                .satisfies(count -> assertThat(Integer.parseInt(count)).isLessThan(20));
        assertThat(shell.run("root", "kill -9 1; sleep 0.2; cat /proc/1/comm").output())
                .endsWith("neuron\n");
    }

    @Test
    void neitherAConnectionNorALookUpGetsOutAndBothFailAtOnce() {
        String script = """
                import socket, time
                began = time.monotonic()
                for target in [("1.1.1.1", 80), ("10.0.0.1", 22), ("169.254.169.254", 80)]:
                    try:
                        socket.create_connection(target, 20)
                        print("connected", target)
                    except OSError as e:
                        print("refused", e.errno)
                try:
                    print("resolved", socket.getaddrinfo("example.com", 80))
                except socket.gaierror as e:
                    print("unknown")
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                try:
                    s.sendto(b"x", ("8.8.8.8", 53))
                    print("sent")
                except OSError as e:
                    print("refused", e.errno)
                print("took", time.monotonic() - began < 10)
                """;
        assertThat(shell.runCommand("", "/usr/bin/python3", "-c", script).output())
                .isEqualTo("refused 101\nrefused 101\nrefused 101\nunknown\nrefused 101\ntook True\n");
    }

    @Test
    void itsOwnLoopbackWorksAndIsNotTheHosts() {
        assertThat(agent("cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '"))
                .isEqualTo("lo\n");
        assertThat(agent("python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & "
                        + "for i in $(seq 100); do python3 -c \"import urllib.request as u;"
                        + " print(u.urlopen('http://127.0.0.1:8123/').status)\" 2>/dev/null && break; sleep 0.1; done;"
                        + " kill $!"))
                .isEqualTo("200\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mount -t tmpfs none /mnt",
                "unshare -r true",
                "unshare -m true",
                "umount /tmp",
                "chroot / true; echo x >/proc/sys/kernel/hostname",
                "mknod /tmp/disk b 8 0",
                "echo 1 >/proc/sysrq-trigger",
                "ls /proc/1/root/",
                "cat /proc/1/environ",
                "cat /proc/1/mem",
                "nsenter -t 1 -m true",
                "mkdir /sys/fs/cgroup/memory/mine",
                "echo x >/run/cortex/neuron",
                "rm /run/cortex/neuron",
                "mv /run/cortex/neuron /tmp/",
                "chmod 777 /run/cortex/neuron"
            })
    void evenItsRootIsRefused(String command) {
        assertThat(shell.run("root", command).code()).as(command).isNotZero();
    }

    @Test
    void theNeuronCannotBeTraced() {
        String script = """
                import ctypes
                libc = ctypes.CDLL(None, use_errno=True)
                print(libc.ptrace(16, 1, 0, 0), ctypes.get_errno())
                """;
        assertThat(shell.runCommand("root", "/usr/bin/python3", "-c", script).output())
                .isEqualTo("-1 1\n");
    }

    @Test
    void usrIsTheMachinesAndChangesToItStayInTheSandbox() {
        assertThat(shell.run("touch /usr/bin/mine").ok()).isFalse();
        assertThat(shell.run("root", "echo '#!/bin/sh' >/usr/bin/cortex-trial && rm /usr/bin/env")
                        .ok())
                .isTrue();
        assertThat(Path.of("/usr/bin/cortex-trial")).doesNotExist();
        assertThat(Path.of("/usr/bin/env")).exists();
        shell.run("root", "rm /usr/bin/cortex-trial");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " | ",
            value = {
                "python3 -c 'print(6*7)' | 42",
                "node -e 'console.log(6*7)' | 42",
                "printf 'int main(){return 42;}' >a.c && gcc a.c && ./a.out; echo $? | 42",
                "git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m m && git log --format=%s | m",
                "bash -c 'echo $((6*7))' | 42",
                "printf 'iab\\033:wq\\n' >k; vi -u NONE -es -c 'normal iab' -c wq f </dev/null; cat f | ab",
                "stat -f -c %T /tmp | tmpfs"
            })
    void programsOfTheMachineRun(String script, String expected) {
        assertThat(agent("export TERM=dumb; " + script)).isEqualTo(expected + "\n");
    }
}
