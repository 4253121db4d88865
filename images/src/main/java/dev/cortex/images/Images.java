package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.image.ImageResolver;
import dev.cortex.sandbox.image.ImageRow;
import dev.cortex.sandbox.image.ImageStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a reference to an image means: {@code host}; an absolute path, which is a root file system's folder, used in
 * place, or an archive, which is taken in at its first use; else an image of the library by name or digest. Thread-safe.
 */
public final class Images implements ImageResolver {
    private static final String HOST = "host";

    private final HostImage host;
    private final ImageLibrary library;
    private final ArchiveDigests digests = new ArchiveDigests();
    private final ConcurrentMap<String, ReentrantLock> taking = new ConcurrentHashMap<>();

    /** @param folder {@code images/} of the home, for its owner alone */
    public Images(Path folder, ImageImporter importer, ImageStore store, Clock clock) {
        this.host = new HostImage(folder.resolve(HOST), Path.of("/"));
        this.library = new ImageLibrary(folder, importer, store, clock);
        library.wipeUnfinished();
    }

    public ImageLibrary library() {
        return library;
    }

    @Override
    public Image resolve(String reference) {
        if (reference.equals(HOST)) {
            return host.resolve();
        }
        if (!reference.startsWith("/")) {
            ImageRow row = library.find(reference).orElseThrow(() -> library.unknown(reference));
            return library.ready(shown(reference, row), row);
        }
        Path path = path(reference).orElseThrow(() -> library.unknown(reference));
        if (Files.isDirectory(path)) {
            return FolderImage.resolve(reference, path);
        }
        return archive(reference, path);
    }

    @Override
    public Image again(String reference, String digest) {
        if (digest.isEmpty()) {
            return resolve(reference);
        }
        Optional<ImageRow> row = library.find(digest);
        return row.isPresent() ? library.ready(reference, row.get()) : resolve(reference);
    }

    /** The name that was asked by, without what pinned it. */
    private String shown(String reference, ImageRow row) {
        int at = reference.lastIndexOf('@');
        return ImageName.read(at < 0 ? reference : reference.substring(0, at))
                .map(ImageName::text)
                .filter(name -> at >= 0 || library.find(name).equals(Optional.of(row)))
                .filter(name -> !row.digest().startsWith("sha256:" + name))
                .orElseGet(() -> library.called(row));
    }

    private Image archive(String reference, Path archive) {
        try {
            String sha256 = digests.of(archive);
            ReentrantLock lock = taking.computeIfAbsent(sha256, _ -> new ReentrantLock());
            lock.lockInterruptibly();
            try {
                Optional<ImageRow> known = library.byArchive(sha256);
                ImageRow row = known.isPresent()
                        ? known.get()
                        : library.takeArchive(archive, sha256, () -> requireUnchanged(archive, sha256));
                return library.ready(reference, row);
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "unpacking " + archive + " was cancelled", "");
        } catch (IOException e) {
            throw unreadable(archive, e);
        }
    }

    private void requireUnchanged(Path archive, String sha256) {
        try {
            if (digests.of(archive).equals(sha256)) {
                return;
            }
        } catch (IOException e) {
            throw unreadable(archive, e);
        }
        throw CortexException.of(ErrorCode.INVALID_ARGUMENT, archive + " changed while it was unpacked", "try again");
    }

    private static CortexException unreadable(Path archive, IOException e) {
        return CortexException.of(
                        ErrorCode.INVALID_ARGUMENT, archive + " could not be read", "look at the archive's rights")
                .because(e);
    }

    /** The client resolves what is relative to its own folder; the daemon's folder is nobody's. */
    private static Optional<Path> path(String reference) {
        try {
            Path path = Path.of(reference).toRealPath();
            return Files.isDirectory(path) || Files.isRegularFile(path) ? Optional.of(path) : Optional.empty();
        } catch (InvalidPathException | IOException e) {
            return Optional.empty();
        }
    }
}
