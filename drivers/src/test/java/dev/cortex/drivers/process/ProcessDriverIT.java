package dev.cortex.drivers.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.drivers.launch.Installation;
import dev.cortex.drivers.launch.Launcher;
import dev.cortex.drivers.launch.Mark;
import dev.cortex.drivers.launch.RunFiles;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.image.Image;
import dev.cortex.testkit.driver.DriverContract;
import dev.cortex.testkit.driver.DriverUnderTest;
import dev.cortex.testkit.driver.Leftovers;
import dev.cortex.testkit.driver.Shell;
import dev.cortex.testkit.driver.Trial;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Needs the launcher and the neuron, which ./dev build makes. */
final class ProcessDriverIT extends DriverContract {
    private static final Map<String, String> DAEMON = Map.of(
            "PATH", "/usr/local/bin:/usr/bin:/bin",
            "LANG", "C.UTF-8",
            "OPENAI_API_KEY", "sk-secret",
            "SSH_AUTH_SOCK", "/tmp/agent");

    @Override
    protected DriverUnderTest subject() {
        return new Subject();
    }

    @Test
    void itSaysThatItIsolatesNothingAndLimitsNothing() {
        assertThat(subject().driver().capabilities().all())
                .containsExactlyInAnyOrder(Capability.LIVE_MOUNTS, Capability.PAUSE);
    }

    @Test
    void nothingOfTheDaemonsSecretsGetsIn() {
        Trial trial = trial();
        try (Shell shell = trial.shell(trial.start())) {
            String environment =
                    shell.run("tr '\\0' '\\n' </proc/$PPID/environ; env").output();
            assertThat(environment).contains("LANG=C.UTF-8").doesNotContain("secret", "SSH_AUTH_SOCK");
        }
    }

    @Test
    void theDiskIsHomeAndTheWorkingDirectoryLiesInIt() {
        Trial trial = trial();
        Path disk = trial.request().disk();
        try (Shell shell = trial.shell(trial.start())) {
            assertThat(shell.run("echo $HOME; pwd").output()).isEqualTo(disk + "\n" + disk + "/workspace\n");
        }
    }

    private static final class Subject implements DriverUnderTest {
        @Override
        public SandboxDriver driver() {
            Installation installation = Installation.fromProperty();
            return new ProcessDriver(installation, Launcher.of(installation), DAEMON);
        }

        @Override
        public Image image() {
            return new Image(
                    "host",
                    Optional.empty(),
                    new Image.Root.Host(Path.of("/nonexistent"), List.of(Path.of("/usr"))),
                    Image.Config.NONE);
        }

        @Override
        public GuestIdentity identity(StartRequest request) {
            return new GuestIdentity(
                    GuestToken.random(new SecureRandom()),
                    1,
                    "",
                    "",
                    List.of(("HOME=" + request.disk()).getBytes(StandardCharsets.UTF_8)),
                    GuestIdentity.User.AGENT,
                    ProcessLaunch.workdir(request).toString(),
                    0,
                    true,
                    false);
        }

        @Override
        public long firstProcess(StartRequest request, Handle handle) {
            return ProcessSandboxHandle.read(handle).first().pid();
        }

        @Override
        public Path socket(StartRequest request) {
            return new RunFiles(request.runFolder(), request.folder()).socket();
        }

        @Override
        public List<String> leftovers(StartRequest request, SandboxId sandbox) {
            return Leftovers.processes(Mark.of(sandbox));
        }
    }
}
