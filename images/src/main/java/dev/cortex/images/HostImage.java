package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The image {@code host}. Its skeleton lies in a folder named by what it was copied from; when the machine's files
 * change the next one is made beside it, because a running sandbox still uses the old one. Thread-safe.
 */
final class HostImage {
    private final Path folder;
    private final Path root;
    private final HostSkeleton skeleton;

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
        try {
            HostFiles files = HostFiles.of(root);
            Path ready = folder.resolve(files.fingerprint());
            if (!Files.isDirectory(ready)) {
                make(files, ready);
            }
            return new Image("host", Optional.empty(), new Image.Root.Host(ready, skeleton.shown()), Image.Config.NONE);
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
