package dev.cortex.drivers.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.drivers.launch.FirstProcess;
import dev.cortex.drivers.launch.LaunchSpec;
import dev.cortex.drivers.launch.Mark;
import dev.cortex.drivers.launch.SocketFile;
import dev.cortex.drivers.launch.StopSpec;
import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.terms.Terms;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class ProcessLaunchTest {
    private static final SandboxId ID = new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1ah");
    private static final UUID HOME = UUID.fromString("1f2e3d4c-0000-4000-8000-000000000000");
    private static final StartRequest REQUEST = new StartRequest(
            ID,
            Optional.of("api"),
            HOME,
            3,
            Optional.empty(),
            new Image(
                    "host",
                    Optional.empty(),
                    new Image.Root.Host(Path.of("/h/images/host"), List.of(Path.of("/usr"))),
                    Image.Config.NONE),
            Limits.DEFAULT,
            Terms.DEFAULT,
            Path.of("/h/disks/api"),
            Path.of("/run/c/x"),
            Path.of("/h/sandboxes/x"));

    @Test
    void theNeuronIsAPlainChildThatListensInTheRunFolder() {
        LaunchSpec spec = ProcessLaunch.start(REQUEST, Path.of("/opt/neuron"), Map.of());
        assertThat(spec.runtime().kind()).isEqualTo("none");
        assertThat(spec.listen())
                .hasValueSatisfying(listen -> assertThat(listen.path()).isEqualTo("/run/c/x/n.sock"));
        assertThat(spec.process()).hasValueSatisfying(child -> {
            assertThat(child.argv()).first().isEqualTo("/opt/neuron");
            assertThat(child.cwd()).isEqualTo("/h/disks/api/workspace");
            assertThat(child.mark()).isEqualTo(Mark.of(ID));
        });
        assertThat(spec.cgroup()).isEmpty();
    }

    @Test
    void onlyTheAllowListOfTheDaemonsEnvironmentGetsIn() {
        Map<String, String> daemon = Map.of(
                "PATH", "/usr/bin",
                "LANG", "C.UTF-8",
                "LC_TIME", "de_DE",
                "TZ", "UTC",
                "TERM", "xterm",
                "HOME", "/root",
                "OPENAI_API_KEY", "sk",
                "AWS_SECRET_ACCESS_KEY", "s",
                "SSH_AUTH_SOCK", "/tmp/a",
                "LD_PRELOAD", "x");
        assertThat(ScrubbedEnvironment.of(daemon, Path.of("/h/disks/api")))
                .containsExactly(
                        "HOME=/h/disks/api", "LANG=C.UTF-8", "LC_TIME=de_DE", "PATH=/usr/bin", "TERM=xterm", "TZ=UTC");
    }

    @Test
    void thereIsAlwaysAPath() {
        assertThat(ScrubbedEnvironment.of(Map.of(), Path.of("/d"))).anyMatch(entry -> entry.startsWith("PATH=/usr"));
    }

    @Test
    void stopFindsEverythingFromTheIdAlone() {
        StopSpec spec = ProcessLaunch.stop(
                new StopRequest(ID, HOME, Optional.empty(), Path.of("/run/c/x"), Path.of("/h/sandboxes/x")));
        assertThat(spec.pid()).isZero();
        assertThat(spec.mark()).isEqualTo(Mark.of(ID));
        assertThat(spec.socket()).contains("/run/c/x/n.sock");
        assertThat(spec.pidFile()).contains("/run/c/x/pid");
    }

    @Test
    void theHandleComesBackAsItWasWritten() {
        ProcessSandboxHandle handle = new ProcessSandboxHandle(
                new FirstProcess(7, 8, "boot"), new SocketFile("/run/c/x/n.sock", 25, Long.MAX_VALUE));
        assertThat(ProcessSandboxHandle.read(handle.write(ID))).isEqualTo(handle);
    }

    @Test
    void aHandleOfAnotherVersionIsNotGuessedAt() {
        assertThat(ProcessSandboxHandle.understand(new Handle("process", 99, ID, "{}")))
                .isEmpty();
        assertThat(ProcessSandboxHandle.understand(new Handle("oci", 1, ID, "{}")))
                .isEmpty();
        assertThat(ProcessSandboxHandle.understand(new Handle("process", 1, ID, "no json")))
                .isEmpty();
    }

    @Test
    void marksOfDifferentSandboxesDifferInTheSandboxsPart() {
        long one = Mark.of(ID);
        long other = Mark.of(new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1aj"));
        assertThat(one).isPositive();
        assertThat(one >>> 22).isNotEqualTo(other >>> 22);
        assertThat(one & ((1 << 22) - 1)).isZero();
    }
}
