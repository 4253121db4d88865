package dev.cortex.testkit.guest;

import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.guest.GuestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The real neuron as a plain child of this test, on a Unix socket. Needs {@code out/bin/neuron}. */
final class PlainNeuronIT extends GuestContract {
    private static final Duration STARTED_WITHIN = Duration.ofSeconds(20);

    private final Process neuron;
    private final Path socket;
    private final Path workdir;

    PlainNeuronIT(@TempDir Path folder) throws Exception {
        socket = folder.resolve("n.sock");
        workdir = folder.resolve("work");
        Path program = Path.of(System.getProperty("cortex.install", "out"), "bin", "neuron");
        if (!Files.isExecutable(program)) {
            throw new IllegalStateException(program + " is missing; ./dev build makes it");
        }
        neuron = new ProcessBuilder(program.toString(), "serve", "--listen", socket.toString(), "--plain")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("neuron.log").toFile())
                .start();
        long end = System.nanoTime() + STARTED_WITHIN.toNanos();
        while (!Files.exists(socket)) {
            if (!neuron.isAlive() || System.nanoTime() > end) {
                neuron.destroyForcibly();
                throw new IOException("the neuron does not serve: " + Files.readString(folder.resolve("neuron.log")));
            }
            Thread.sleep(5);
        }
    }

    @Override
    protected Supplier<GuestStream> dialer() {
        return GuestSocket.dialer(socket);
    }

    @Override
    protected GuestIdentity.User user() {
        return new GuestIdentity.User(
                System.getProperty("user.name"), uid("unix:uid"), uid("unix:gid"), workdir.toString());
    }

    private int uid(String attribute) {
        try {
            return (int) Files.getAttribute(socket, attribute);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    protected String workdir() {
        return workdir.toString();
    }

    @AfterEach
    void end() throws InterruptedException {
        neuron.destroy();
        if (!neuron.waitFor(20, TimeUnit.SECONDS)) {
            neuron.destroyForcibly().waitFor();
        }
    }
}
