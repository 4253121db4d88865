package dev.cortex.testkit.driver;

import dev.cortex.guest.NeuronConnector;
import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Preparing;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.terms.Terms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** One sandbox of a test, with folders of its own; closing it stops it and deletes everything. */
public final class Trial implements AutoCloseable {
    /** Ten times what a step takes on a busy machine. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final NeuronConnector NEURONS = new NeuronConnector();

    private final DriverUnderTest subject;
    private final SandboxDriver driver;
    private final Path folder;
    private final StartRequest request;

    /**
     * @param slot unique among the sandboxes that live at the same time
     * @param limits what it may use
     */
    public Trial(DriverUnderTest subject, int slot, Limits limits) {
        this.subject = subject;
        this.driver = subject.driver();
        Image image = subject.image();
        try {
            this.folder = Files.createTempDirectory("cxt");
            this.request = new StartRequest(
                    randomId(),
                    Optional.of("trial-" + slot),
                    new UUID(
                            ThreadLocalRandom.current().nextLong(),
                            ThreadLocalRandom.current().nextLong()),
                    slot,
                    subject.runtime(),
                    image,
                    limits,
                    Terms.DEFAULT,
                    privately(folder.resolve("disk")),
                    privately(folder.resolve("run")),
                    privately(folder.resolve("own")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Trial(DriverUnderTest subject, int slot) {
        this(subject, slot, Limits.DEFAULT);
    }

    private static Path privately(Path folder) throws IOException {
        return Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static SandboxId randomId() {
        StringBuilder id = new StringBuilder("sb_0");
        for (int i = 0; i < 25; i++) {
            id.append(ID_ALPHABET.charAt(ThreadLocalRandom.current().nextInt(ID_ALPHABET.length())));
        }
        return new SandboxId(id.toString());
    }

    public SandboxDriver driver() {
        return driver;
    }

    /** Holds all folders of the request. */
    public Path folder() {
        return folder;
    }

    public StartRequest request() {
        return request;
    }

    public Handle start() {
        return driver.start(request);
    }

    /** As the warm pool: started before it has a name, and named then. */
    public Handle startAhead() {
        Handle handle = driver.start(new StartRequest(
                request.sandbox(),
                Optional.empty(),
                request.home(),
                request.slot(),
                request.runtime(),
                request.image(),
                request.limits(),
                request.terms(),
                request.disk(),
                request.runFolder(),
                request.folder()));
        ((Preparing) driver).name(handle, request.folder(), request.hostname().orElseThrow());
        return handle;
    }

    public StopRequest stopRequest(Optional<Handle> handle) {
        return new StopRequest(request.sandbox(), request.home(), handle, request.runFolder(), request.folder());
    }

    public void stop(Handle handle) {
        driver.stop(stopRequest(Optional.of(handle)));
    }

    /** A guest that is not initialized. */
    public Guest connect(Handle handle) {
        return NEURONS.connect(() -> driver.dial(handle), GuestToken.NONE);
    }

    /** A guest that has been told what the core would tell it. */
    public Guest initialize(Handle handle) {
        GuestIdentity identity = subject.identity(request);
        Guest guest = connect(handle);
        guest.initialize(identity, PATIENCE);
        return guest;
    }

    /** A shell in a sandbox that was started and initialized. */
    public Shell shell(Handle handle) {
        return new Shell(initialize(handle));
    }

    @Override
    public void close() {
        driver.stop(stopRequest(Optional.empty()));
        driver.wipeDisk(request.disk());
        driver.wipeDisk(folder);
    }
}
