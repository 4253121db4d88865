package dev.cortex.drivers.oci;

import dev.cortex.drivers.disk.HostPool;
import dev.cortex.drivers.launch.HostProbe;
import dev.cortex.drivers.launch.ImportSpec;
import dev.cortex.drivers.launch.Imported;
import dev.cortex.drivers.launch.Installation;
import dev.cortex.drivers.launch.Launcher;
import dev.cortex.drivers.launch.Mark;
import dev.cortex.drivers.launch.RunFiles;
import dev.cortex.images.ImageImporter;
import dev.cortex.images.Images;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.image.Image;
import dev.cortex.testkit.driver.DriverUnderTest;
import dev.cortex.testkit.driver.Leftovers;
import dev.cortex.testkit.fake.FakeImageStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The driver with the program that is built here, and images in a folder of its own. */
final class OciSubject implements DriverUnderTest, AutoCloseable {
    private static final Path TOOLS = Installation.fromProperty().tools();

    private final Installation installation = Installation.fromProperty();
    private final Launcher launcher = Launcher.of(installation);
    private final HostProbe probe = new HostProbe(launcher, installation.tools());
    private final Path folder;
    private final Images images;
    private final String reference;
    private final String runtime;

    /** With crun. */
    OciSubject(String reference) {
        this(reference, "crun");
    }

    /** @param reference of its image */
    OciSubject(String reference, String runtime) {
        this.runtime = runtime;
        try {
            this.folder = Files.createTempDirectory("cxi");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.images = new Images(folder, new ByLauncher(launcher), new FakeImageStore(), Clock.systemUTC());
        this.reference = reference;
    }

    @Override
    public void close() {
        launcher.wipe(folder, !launcher.probe(TOOLS).root());
    }

    @Override
    public SandboxDriver driver() {
        return new OciDriver(installation, launcher, probe, HostPool.plain(folder, launcher));
    }

    @Override
    public Image image() {
        return images.resolve(reference);
    }

    Image resolve(String other) {
        return images.resolve(other);
    }

    /** What lies in the folder of images. */
    List<String> imageFiles() {
        return Leftovers.files(folder).stream()
                .filter(file -> !file.endsWith("layers"))
                .toList();
    }

    @Override
    public Optional<String> runtime() {
        return Optional.of(runtime);
    }

    @Override
    public GuestIdentity identity(StartRequest request) {
        return new GuestIdentity(
                GuestToken.random(new SecureRandom()),
                1,
                request.hostname().orElseThrow(),
                "0123456789abcdef0123456789abcdef",
                Stream.of("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/home/agent")
                        .map(entry -> entry.getBytes(StandardCharsets.UTF_8))
                        .toList(),
                GuestIdentity.User.AGENT,
                "/home/agent/workspace",
                0,
                true,
                false);
    }

    @Override
    public long firstProcess(StartRequest request, Handle handle) {
        return OciSandboxHandle.read(handle).first().pid();
    }

    @Override
    public Path socket(StartRequest request) {
        return files(request).socket();
    }

    @Override
    public List<String> leftovers(StartRequest request, SandboxId sandbox) {
        List<String> left = new ArrayList<>(Leftovers.processes(Mark.of(sandbox)));
        left.addAll(Leftovers.controlGroups(OciLaunch.cgroupName(request.home(), sandbox)));
        left.addAll(Leftovers.files(request.runFolder()));
        return left;
    }

    private static RunFiles files(StartRequest request) {
        return new RunFiles(request.runFolder(), request.folder());
    }

    /** As the engine wires it. */
    private record ByLauncher(Launcher launcher) implements ImageImporter {
        @Override
        public Taken take(Request request, Consumer<Progress> progress) {
            Imported imported = launcher.takeImage(
                    new ImportSpec(
                            1,
                            request.source().toString(),
                            request.layers().toString(),
                            request.staging().toString(),
                            Optional.empty(),
                            Optional.empty()),
                    !launcher.probe(TOOLS).root(),
                    told -> progress.accept(new Progress(told.doing(), told.done(), told.total())));
            return new Taken(
                    imported.kind(),
                    imported.digest(),
                    imported.manifest(),
                    imported.names(),
                    imported.config().toString(),
                    imported.layers().stream()
                            .map(layer -> new Layer(layer.chain(), layer.diffId(), layer.bytes()))
                            .toList());
        }

        @Override
        public void wipe(Path folder) {
            launcher.wipe(folder, !launcher.probe(TOOLS).root());
        }
    }
}
