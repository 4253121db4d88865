package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.image.ImageResolver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The images of a home: {@code host}, a folder that is a root file system, a tar archive of one, and
 * {@code sha256:…} of an archive that was unpacked before. Thread-safe.
 */
public final class Images implements ImageResolver {
    private static final String HOST = "host";
    private static final String DIGEST = "sha256:";

    private final HostImage host;
    private final ArchiveImages archives;

    /** @param folder {@code images/} of the home */
    public Images(Path folder, ArchiveUnpacker unpacker) {
        this.host = new HostImage(folder.resolve(HOST), Path.of("/"));
        this.archives = new ArchiveImages(folder, unpacker);
    }

    @Override
    public Image resolve(String reference) {
        if (reference.equals(HOST)) {
            return host.resolve();
        }
        if (reference.startsWith(DIGEST)) {
            return archives.unpacked(reference.substring(DIGEST.length())).orElseThrow(() -> unknown(reference));
        }
        Path path = path(reference).orElseThrow(() -> unknown(reference));
        if (Files.isDirectory(path)) {
            return FolderImage.resolve(reference, path);
        }
        if (Files.isRegularFile(path)) {
            return archives.resolve(reference, path);
        }
        throw unknown(reference);
    }

    /** The client resolves what is relative to its own folder; the daemon's folder is nobody's. */
    private static Optional<Path> path(String reference) {
        try {
            Path path = Path.of(reference);
            return path.isAbsolute() ? Optional.of(path.toRealPath()) : Optional.empty();
        } catch (InvalidPathException | IOException e) {
            return Optional.empty();
        }
    }

    private CortexException unknown(String reference) {
        List<String> known = new ArrayList<>(List.of(HOST));
        archives.digests().forEach(digest -> known.add(DIGEST + digest));
        return CortexException.of(
                ErrorCode.NOT_FOUND,
                "there is no image " + reference,
                "there are: " + String.join(", ", known)
                        + "; or give the absolute path of a root file system's folder or tar archive");
    }
}
