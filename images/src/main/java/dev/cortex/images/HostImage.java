package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The image {@code host}. Its skeleton lies in a folder named by what it was copied from; when the machine's files
 * change the next one is made beside it, because a running sandbox still uses the old one. Thread-safe.
 */
final class HostImage {
    /** A look at every file takes ten milliseconds, one at the folders less than one. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

    private final Path folder;
    private final Path root;
    private final HostSkeleton skeleton;
    private @Nullable Seen last;

    /** What was resolved and what it was made from. */
    private record Seen(Image image, HostFiles files, long atNanos) {
        boolean holds() {
            return System.nanoTime() - atNanos < LOOK_AGAIN.toNanos()
                    && files.unchanged()
                    && Files.isDirectory(((Image.Root.Host) image.root()).skeleton());
        }
    }

    /**
     * @param folder where skeletons are kept
     * @param root {@code /}, or what stands for it in a test
     */
    HostImage(Path folder, Path root) {
        this.folder = folder;
        this.root = root;
        this.skeleton = new HostSkeleton(root);
    }

    synchronized Image resolve() {
        Seen seen = last;
        if (seen != null && seen.holds()) {
            return seen.image();
        }
        try {
            HostFiles files = HostFiles.of(root);
            Path ready = folder.resolve(files.fingerprint());
            if (!Files.isDirectory(ready)) {
                make(files, ready);
            }
            Image.Root.Host shown = new Image.Root.Host(ready, skeleton.shown());
            Image image = new Image("host", Optional.empty(), shown, Image.Config.NONE);
            last = new Seen(image, files, System.nanoTime());
            return image;
        } catch (IOException | UncheckedIOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "the image host could not be made in " + folder,
                            "look at the owner and the free space of that folder")
                    .because(e);
        }
    }

    private void make(HostFiles files, Path ready) throws IOException {
        Files.createDirectories(folder);
        Path begun = Files.createTempDirectory(folder, ".begun-");
        try {
            skeleton.write(files, begun);
            Files.setPosixFilePermissions(begun, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(begun, ready);
        } catch (IOException | RuntimeException e) {
            delete(begun);
            throw e;
        }
    }

    private static void delete(Path begun) throws IOException {
        try (Stream<Path> all = Files.walk(begun)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
