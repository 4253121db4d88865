package dev.cortex.sandbox.image;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The records of a home's images, and their names. Thread-safe; each method is one transaction. A name is in its
 * canonical form, and means one image at a time.
 */
public interface ImageStore {
    /** An image with its names in order, and who uses it. */
    record Entry(ImageRow image, List<String> names, List<String> users) {
        public Entry {
            names = List.copyOf(names);
            users = List.copyOf(users);
        }
    }

    /**
     * Records an image, or adds to the one of that digest what is new. The names mean it from now on, and no longer what
     * they meant.
     */
    void save(ImageRow image, List<String> names);

    Optional<ImageRow> named(String name);

    /** Images whose digest, or manifest's digest, begins so; in order, at most a few. */
    List<ImageRow> byDigest(String beginning);

    /** The image that an archive of that SHA-256 (lower-case hex) holds. */
    Optional<ImageRow> byArchive(String sha256);

    /**
     * A page of all images, by digest.
     *
     * @param after continue behind this digest; empty at first
     */
    List<Entry> list(String after, int most);

    Optional<Entry> entry(String digest);

    /** Takes a name away; the image stays. False when nothing has that name. */
    boolean forgetName(String name);

    /**
     * Removes an image with its names, unless a sandbox, one that is started ahead too, or a disk uses it.
     *
     * @return who uses it, in words; empty when it has been removed
     */
    List<String> removeUnused(String digest);

    /**
     * Removes an image that has no name and that no sandbox, one that is started ahead too, and no disk uses. False when
     * nothing was removed.
     */
    boolean removeUnneeded(String digest);

    /** The chains of all layers of all images. */
    Set<String> chains();
}
