package dev.cortex.testkit.driver;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.image.Image;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What the contract suite has to know of a driver besides its contract. */
public interface DriverUnderTest {
    /** A new object each time, as a restarted daemon would make it. */
    SandboxDriver driver();

    Image image();

    /** The program beneath it that this suite is about; empty: the driver's choice. */
    default Optional<String> runtime() {
        return Optional.empty();
    }

    /** What the core would tell a sandbox of this request. */
    GuestIdentity identity(StartRequest request);

    /** The host's pid of the first process. */
    long firstProcess(StartRequest request, Handle handle);

    /** Where the host dials. */
    Path socket(StartRequest request);

    /** Everything on the host that still belongs to a sandbox: processes, control groups, mounts, in words. */
    List<String> leftovers(StartRequest request, SandboxId sandbox);
}
