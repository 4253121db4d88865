package dev.cortex.testkit.noop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.image.Image;
import dev.cortex.testkit.driver.DriverLifecycleContract;
import dev.cortex.testkit.driver.DriverUnderTest;
import dev.cortex.testkit.driver.Leftovers;
import dev.cortex.testkit.driver.Trial;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Step 6 of the checklist "add a driver"; without a guest it is held to the lifecycle alone. */
final class NoopDriverTest extends DriverLifecycleContract {
    @Override
    protected DriverUnderTest subject() {
        return new Subject();
    }

    @Test
    void nobodyAnswersInIt() {
        Trial trial = trial();
        Handle handle = trial.start();
        assertThat(refused(() -> trial.driver().dial(handle)).code()).isEqualTo(ErrorCode.GUEST_LOST);
    }

    private static final class Subject implements DriverUnderTest {
        @Override
        public SandboxDriver driver() {
            return new NoopDriver();
        }

        @Override
        public Image image() {
            return new Image(
                    "none", Optional.empty(), new Image.Root.Folder(Path.of("/nonexistent")), Image.Config.NONE);
        }

        @Override
        public GuestIdentity identity(StartRequest request) {
            return new GuestIdentity(
                    GuestToken.NONE,
                    1,
                    "",
                    "",
                    List.of(),
                    GuestIdentity.User.AGENT,
                    "/home/agent/workspace",
                    0,
                    true,
                    false);
        }

        @Override
        public long firstProcess(StartRequest request, Handle handle) {
            return ProcessHandle.current().pid();
        }

        @Override
        public Path socket(StartRequest request) {
            return NoopDriver.place(request.runFolder());
        }

        @Override
        public List<String> leftovers(StartRequest request, SandboxId sandbox) {
            return Leftovers.files(request.runFolder());
        }
    }
}
