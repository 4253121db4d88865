package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Root file systems that came as tar archives, each unpacked once into {@code <digest>/rootfs} beside an empty file
 * {@code complete}, which is written last: a folder without it is not an image. Thread-safe; who asks for an archive
 * that is being unpacked waits for it.
 */
final class ArchiveImages {
    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
    private static final String COMPLETE = "complete";
    private static final String ROOT = "rootfs";

    private final Path folder;
    private final ArchiveUnpacker unpacker;
    private final ArchiveDigests digests = new ArchiveDigests();
    private final ConcurrentMap<String, ReentrantLock> unpacking = new ConcurrentHashMap<>();

    ArchiveImages(Path folder, ArchiveUnpacker unpacker) {
        this.folder = folder;
        this.unpacker = unpacker;
    }

    Image resolve(String reference, Path archive) {
        try {
            String digest = digests.of(archive);
            ReentrantLock lock = unpacking.computeIfAbsent(digest, unused -> new ReentrantLock());
            lock.lockInterruptibly();
            try {
                if (!complete(digest)) {
                    unpack(archive, digest);
                }
                return image(reference, digest);
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "unpacking " + archive + " was cancelled", "");
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.INVALID_ARGUMENT,
                            archive + " could not be read or unpacked",
                            "look at the archive's rights and at the free space of " + folder)
                    .because(e);
        }
    }

    /** An image by its digest in hex, when it was unpacked before. */
    Optional<Image> unpacked(String digest) {
        return DIGEST.matcher(digest).matches() && complete(digest)
                ? Optional.of(image("sha256:" + digest, digest))
                : Optional.empty();
    }

    List<String> digests() {
        List<String> known = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return known;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path path : all) {
                String name = path.getFileName().toString();
                if (unpacked(name).isPresent()) {
                    known.add(name);
                }
            }
        } catch (IOException e) {
            // The list only helps a person who mistyped; a folder that cannot be read helps nobody.
            return List.of();
        }
        known.sort(null);
        return known;
    }

    private void unpack(Path archive, String digest) throws IOException {
        Path target = folder.resolve(digest);
        Path begun = folder.resolve("." + digest + ".begun");
        // Leftovers of a run that was killed; nobody else works on this digest now.
        unpacker.wipe(begun);
        unpacker.wipe(target);
        Files.createDirectories(begun);
        try {
            Path root = Files.createDirectory(begun.resolve(ROOT));
            String read = unpacker.unpack(archive, root);
            if (!read.equals(digest)) {
                throw CortexException.of(
                        ErrorCode.INVALID_ARGUMENT, archive + " changed while it was unpacked", "try again");
            }
            if (!FolderImage.looksLikeRoot(root)) {
                throw CortexException.of(
                        ErrorCode.INVALID_ARGUMENT,
                        archive + " holds no root file system: it has neither bin nor usr/bin",
                        "give a tar of a whole root, as docker export makes it");
            }
            commit(begun, target);
        } catch (IOException | RuntimeException e) {
            unpacker.wipe(begun);
            throw e;
        }
    }

    private void commit(Path begun, Path target) throws IOException {
        Files.createFile(begun.resolve(COMPLETE));
        sync(begun);
        Files.move(begun, target);
        sync(folder);
    }

    private static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private boolean complete(String digest) {
        return Files.isRegularFile(folder.resolve(digest).resolve(COMPLETE));
    }

    private Image image(String reference, String digest) {
        Path root = folder.resolve(digest).resolve(ROOT);
        return new Image(reference, Optional.of("sha256:" + digest), new Image.Root.Folder(root), Image.Config.NONE);
    }
}
