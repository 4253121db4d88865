package dev.cortex.bench.place;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What all measures of a run share: the checkout under test, a folder, the stopwatch, and the engines that are started
 * at their first use. For one thread.
 */
public final class Grounds implements AutoCloseable {
    private final Checkout checkout;
    private final Releases releases = new Releases();
    private final Path folder;
    private final Stopwatch stopwatch;
    private Optional<DockerEngine> docker = Optional.empty();
    private Optional<Recorded> recorded = Optional.empty();

    public Grounds(Checkout checkout) throws IOException {
        this.checkout = checkout;
        this.folder = Files.createTempDirectory("cortex-bench");
        releases.add(() -> Command.run("rm", "-rf", "--one-file-system", folder.toString()));
        this.stopwatch = releases.add(new Stopwatch(checkout.bench("stopwatch")));
    }

    public Checkout checkout() {
        return checkout;
    }

    public Path folder() {
        return folder;
    }

    public Stopwatch stopwatch() {
        return stopwatch;
    }

    /** Something whose end is this run's end at the latest. */
    public Releases releases() {
        return releases;
    }

    /** A daemon of its own, which goes with whoever closes it and at the end of the run at the latest. */
    public CortexDaemon daemon(Checkout of, java.util.Map<String, String> settings)
            throws IOException, InterruptedException {
        if (isOver()) {
            throw new IOException("the run is over");
        }
        return releases.add(CortexDaemon.start(of, settings));
    }

    /** The same with the settings that users get. */
    public CortexDaemon delivered() throws IOException, InterruptedException {
        if (isOver()) {
            throw new IOException("the run is over");
        }
        return releases.add(CortexDaemon.asDelivered(checkout));
    }

    /** @throws IOException where Docker is not installed or does not start */
    public DockerEngine docker() throws IOException, InterruptedException {
        if (docker.isEmpty()) {
            docker = Optional.of(releases.add(DockerEngine.start(folder.resolve("docker"))));
        }
        return docker.get();
    }

    /** What the launcher is asked for when the checkout starts a sandbox. */
    public Recorded recorded() throws IOException, InterruptedException {
        if (recorded.isEmpty()) {
            recorded = Optional.of(releases.add(Recorded.of(checkout, Files.createTempDirectory(folder, "recorded"))));
        }
        return recorded.get();
    }

    /** Whether it has been closed: by its owner, or by Ctrl-C. */
    public boolean isOver() {
        return releases.isOver();
    }

    /** Lets the measure under way end by itself, soon. */
    public void stop() {
        releases.stop();
    }

    @Override
    public void close() {
        releases.close();
    }
}
