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
import java.util.Objects;

/**
 * The entries of the machine's /etc that go into the image, as they are now. Only what everybody may read: root's own
 * daemon must not widen who can read a file.
 */
final class HostFiles {
    /** ld.so.cache of a large desktop has 2 MB, Java's certificates 200 KB. */
    private static final long LARGEST = 16 << 20;

    record Entry(Path path, PosixFileAttributes attributes) {
        /** Whether it is still what it was, as far as its size, times and identity tell. */
        boolean unchanged() {
            try {
                PosixFileAttributes now = read(path);
                return now.lastModifiedTime().equals(attributes.lastModifiedTime())
                        && now.size() == attributes.size()
                        && Objects.equals(now.fileKey(), attributes.fileKey());
            } catch (IOException e) {
                return false;
            }
        }
    }

    private final List<Entry> entries = new ArrayList<>();
    private final List<Entry> witnesses = new ArrayList<>();

    private HostFiles() {}

    /** @param root {@code /}, or what stands for it in a test */
    static HostFiles of(Path root) {
        HostFiles files = new HostFiles();
        Path etc = root.resolve("etc");
        try {
            files.witnesses.add(new Entry(etc, read(etc)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String name : HostEtc.NAMES) {
            files.addNamed(etc, name);
        }
        files.entries.stream()
                .filter(entry -> entry.attributes().isDirectory()
                        || etc.equals(entry.path().getParent()))
                .forEach(files.witnesses::add);
        return files;
    }

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /**
     * Whether nothing was added, removed or replaced since, told by the folders and by the files right in etc. A file
     * deeper down that was written in place is not noticed; who changes such files by packages replaces them.
     */
    boolean unchanged() {
        return witnesses.stream().allMatch(Entry::unchanged);
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
            PosixFileAttributes attributes = read(path);
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

    private static PosixFileAttributes read(Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
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
