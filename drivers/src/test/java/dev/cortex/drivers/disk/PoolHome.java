package dev.cortex.drivers.disk;

import dev.cortex.drivers.launch.Installation;
import dev.cortex.drivers.launch.Launcher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A home of its own with a pool; closing it leaves no mount and no loop device. */
final class PoolHome implements AutoCloseable {
    /** The least that can grow, so that a test costs next to nothing. */
    static final PoolSizes SMALL = new PoolSizes(256L << 20, 64L << 20, 96L << 20, 16L << 20);

    final Launcher launcher = Launcher.of(Installation.fromProperty());
    final Path folder;
    private final PoolSettings settings;

    PoolHome(PoolChoice choice) {
        this(choice, temporary());
    }

    PoolHome(PoolChoice choice, Path folder) {
        this.folder = folder;
        this.settings = new PoolSettings(choice, SMALL);
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("cxp");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HostPool pool() {
        return new HostPool(folder, settings, launcher);
    }

    /** Loop devices whose image lies in this home. */
    List<Path> devices() {
        try (Stream<Path> all = Files.list(Path.of("/sys/block"))) {
            return all.map(device -> device.resolve("loop/backing_file"))
                    .filter(file -> content(file).startsWith(folder + "/"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String content(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            // No loop device, or one that goes just now.
            return "";
        }
    }

    @Override
    public void close() {
        pool().unmount();
        launcher.wipe(folder, false);
    }
}
