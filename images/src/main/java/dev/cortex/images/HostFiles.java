package dev.cortex.images;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The entries of the machine's /etc that go into the image, as they are now. Only what everybody may read: root's own
 * daemon must not widen who can read a file.
 */
final class HostFiles {
    /** ld.so.cache of a large desktop has 2 MB, Java's certificates 200 KB. */
    private static final long LARGEST = 16 << 20;

    record Entry(Path path, PosixFileAttributes attributes) {}

    private final List<Entry> entries = new ArrayList<>();

    private HostFiles() {}

    /** @param root {@code /}, or what stands for it in a test */
    static HostFiles of(Path root) {
        HostFiles files = new HostFiles();
        for (String name : HostEtc.NAMES) {
            files.addNamed(root.resolve("etc"), name);
        }
        return files;
    }

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Changes when a file is added, removed or changed, told by its size and times. */
    String fingerprint() {
        MessageDigest digest = sha256();
        for (Entry entry : entries) {
            PosixFileAttributes attributes = entry.attributes();
            String line = entry.path() + "\0" + attributes.size() + "\0" + attributes.lastModifiedTime() + "\0"
                    + attributes.isSymbolicLink() + "\0" + attributes.permissions() + "\n";
            digest.update(line.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }

    private void addNamed(Path etc, String name) {
        if (!name.endsWith("*")) {
            add(etc.resolve(name));
            return;
        }
        try (DirectoryStream<Path> matches = Files.newDirectoryStream(etc, name)) {
            sorted(matches).forEach(this::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(Path path) {
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (attributes.isDirectory()) {
                addFolder(path, attributes);
            } else if (attributes.isSymbolicLink() || everybodysFile(attributes)) {
                entries.add(new Entry(path, attributes));
            }
        } catch (NoSuchFileException | AccessDeniedException e) {
            // This machine lacks it, or keeps it to itself: so does the image.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addFolder(Path folder, PosixFileAttributes attributes) throws IOException {
        if (!attributes.permissions().contains(PosixFilePermission.OTHERS_EXECUTE)) {
            return;
        }
        entries.add(new Entry(folder, attributes));
        try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
            sorted(inside).forEach(this::add);
        }
    }

    private static boolean everybodysFile(PosixFileAttributes attributes) {
        return attributes.isRegularFile()
                && attributes.size() <= LARGEST
                && attributes.permissions().contains(PosixFilePermission.OTHERS_READ);
    }

    private static List<Path> sorted(DirectoryStream<Path> paths) {
        List<Path> all = new ArrayList<>();
        paths.forEach(all::add);
        all.sort(null);
        return all;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
