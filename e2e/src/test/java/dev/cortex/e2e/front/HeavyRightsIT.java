package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people need other rights for: a package manager, a browser, a debugger. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HeavyRightsIT {
    private static final long MINUTES_OF_DEBIAN = 15;

    /** gVisor is where {@code ./dev} puts it. */
    private final CortexHome cortex = CortexHome.open().withTools();

    @BeforeAll
    void makeDebian() throws Exception {
        host("mmdebstrap", "--mode=root", "--variant=minbase", "bookworm", debian().toString());
        makePackage();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    private Path debian() {
        return cortex.folder().resolve("debian.tar");
    }

    private void host(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(cortex.folder().resolve("host.log").toFile())
                .start();
        if (!process.waitFor(MINUTES_OF_DEBIAN, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        assertThat(process.waitFor())
                .as(() -> String.join(" ", command) + ": " + log())
                .isZero();
    }

    private String log() {
        try {
            return Files.readString(cortex.folder().resolve("host.log"));
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    /** A package whose script makes a user and a group, and whose program is set-gid. */
    private void makePackage() throws Exception {
        Path tree = cortex.folder().resolve("tool");
        Path control = Files.createDirectories(tree.resolve("DEBIAN"));
        Files.writeString(
                control.resolve("control"),
                "Package: tool\nVersion: 1\nArchitecture: all\nMaintainer: T <t@example.com>\nDescription: a tool\n");
        Files.writeString(control.resolve("postinst"), """
                #!/bin/sh
                set -e
                groupadd --system tool
                useradd --system --gid tool --home-dir /var/lib/tool --shell /usr/sbin/nologin tool
                chown tool:tool /var/lib/tool
                chgrp tool /usr/bin/tool
                chmod 2755 /usr/bin/tool
                """);
        Files.setPosixFilePermissions(control.resolve("postinst"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(tree.resolve("var/lib/tool"));
        Path program = Files.createDirectories(tree.resolve("usr/bin")).resolve("tool");
        Files.writeString(program, "#!/bin/sh\necho works\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        host(
                "dpkg-deb",
                "--build",
                "--root-owner-group",
                tree.toString(),
                cortex.folder().resolve("tool.deb").toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"crun", "runc", "runsc"})
    void aPackageIsInstalledBySudoWithoutANetwork(String runtime) throws Exception {
        String name = "debian-" + runtime;
        cortex.cortex("create", name, "--runtime", runtime, "--image", debian().toString())
                .succeeded();
        byte[] tool = Files.readAllBytes(cortex.folder().resolve("tool.deb"));
        cortex.cortex(tool, "exec", name, "--", "sh", "-c", "cat > tool.deb").succeeded();
        String script = "sudo apt-get install -y ./tool.deb && tool && stat -c '%A %U:%G' /usr/bin/tool /var/lib/tool"
                + " && sudo apt-get purge -y tool && test ! -e /usr/bin/tool";
        assertThat(cortex.cortex("exec", name, "--", "sh", "-c", script)
                        .succeeded()
                        .stdout())
                .contains("works\n-rwxr-sr-x root:tool\ndrwxr-xr-x tool:tool\n");
        cortex.cortex("rm", "--force", "--wipe", name).succeeded();
    }

    /** With every list: what debuggers may do to others ends at the neuron. */
    @ParameterizedTest
    @CsvSource({"crun, debug", "crun, nested", "runc, default", "runc, debug", "runsc, default", "runsc, debug"})
    void rootCanNeitherTraceNorSignalNorReadNorSlowNorLimitTheNeuron(String runtime, String list) throws Exception {
        String name = "attacked-" + runtime + "-" + list;
        cortex.cortex("create", name, "--runtime", runtime, "--seccomp", list).succeeded();
        for (String refused : new String[] {
            "kill -9 1; kill -STOP 1; kill -QUIT 1; kill -9 -1; sleep 0.3; false",
            "python3 -c 'import ctypes; c = ctypes.CDLL(None); c.syscall(200, 1, 9); c.syscall(234, 1, 1, 9)'; false",
            "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) & 255)'",
            "gdb -batch -p 1 2>&1 | grep -v 'not permitted' | grep -q 'Attaching\\|Reading symbols'",
            "head -c 1 /proc/1/mem",
            "head -c 1 /proc/1/environ",
            "cat /proc/1/maps",
            "readlink /proc/1/exe",
            "readlink /proc/1/fd/3",
            "ls /proc/1/root/",
            "renice -n 19 -p 1",
            "taskset -p 1 1",
            "chrt --idle -p 0 1",
            "prlimit --pid 1 --cpu=1:1",
            "prlimit --pid 1 --nofile=3",
            "nsenter -t 1 -m true",
            "echo x > /run/cortex/neuron"
        }) {
            for (String user : new String[] {"root", "agent"}) {
                assertThat(cortex.cortex("exec", "--user", user, name, "--", "sh", "-c", refused)
                                .status())
                        .as(user + ": " + refused)
                        .isNotZero();
            }
        }
        assertThat(cortex.cortex("exec", name, "--", "echo", "lives")
                        .succeeded()
                        .stdout())
                .isEqualTo("lives\n");
        cortex.cortex("rm", "--force", "--wipe", name).succeeded();
    }

    /** Without the list, Chromium says that it has no usable sandbox, and ends. */
    @ParameterizedTest
    @ValueSource(strings = {"crun", "runc"})
    void chromiumStartsWithItsOwnSandboxUnderNested(String runtime) throws Exception {
        String page = "data:text/html,<p id=x>no</p><script>document.getElementById(\"x\").textContent=6*7</script>";
        String script = "/usr/lib/chromium/chromium --headless --disable-gpu --dump-dom '" + page + "'";
        assertThat(cortex.cortex("run", "--runtime", runtime, "--seccomp", "nested", "--", "sh", "-c", script)
                        .succeeded()
                        .stdout())
                .contains("<p id=\"x\">42</p>");
        CortexHome.Outcome without = cortex.cortex("run", "--runtime", runtime, "--", "sh", "-c", script);
        assertThat(without.status()).isNotZero();
        assertThat(without.stderr()).contains("No usable sandbox");
    }

    @Test
    void gdbBreaksRunsPrintsAndAttachesUnderDebug() throws Exception {
        cortex.cortex("create", "debugged", "--runtime", "crun", "--seccomp", "debug")
                .succeeded();
        cortex.cortex(
                        "#include <stdio.h>\nint main(void) {\n    int x = 41;\n    x++;\n    printf(\"%d\\n\", x);\n    return 0;\n}\n"
                                .getBytes(StandardCharsets.UTF_8),
                        "cp",
                        "-",
                        "debugged:a.c")
                .succeeded();
        String script = "gcc -g -O0 a.c && gdb -batch -ex 'break 5' -ex run -ex 'print x + 100' ./a.out;"
                + " sleep 60 & gdb -batch -p $! -ex 'info proc' -ex detach; kill $!";
        assertThat(cortex.cortex("exec", "debugged", "--", "sh", "-c", script)
                        .succeeded()
                        .stdout())
                .contains("Breakpoint 1, main ()", "$1 = 142", "cmdline = 'sleep 60'");
        for (String user : new String[] {"agent", "root"}) {
            CortexHome.Outcome neuron =
                    cortex.cortex("exec", "--user", user, "debugged", "--", "gdb", "-batch", "-p", "1");
            assertThat(neuron.stdout() + neuron.stderr()).contains("Operation not permitted");
        }
        cortex.cortex("rm", "--force", "--wipe", "debugged").succeeded();
    }
}
