package dev.cortex.images;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** SHA-256 of archives, remembered while a file keeps its identity, size and time. Thread-safe. */
final class ArchiveDigests {
    private static final int BUFFER = 1 << 16;

    private record Version(Object key, long size, FileTime modified) {
        static Version of(Path archive) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(archive, BasicFileAttributes.class);
            Object key = attributes.fileKey() == null ? archive : attributes.fileKey();
            return new Version(key, attributes.size(), attributes.lastModifiedTime());
        }
    }

    private final ConcurrentMap<Version, String> known = new ConcurrentHashMap<>();

    String of(Path archive) throws IOException {
        Version version = Version.of(archive);
        String digest = known.get(version);
        if (digest == null) {
            digest = read(archive);
            // A file that changed meanwhile is remembered under neither of its versions.
            if (Version.of(archive).equals(version)) {
                known.put(version, digest);
            }
        }
        return digest;
    }

    private static String read(Path archive) throws IOException {
        MessageDigest sha256 = sha256();
        byte[] buffer = new byte[BUFFER];
        try (InputStream bytes = Files.newInputStream(archive)) {
            for (int n = bytes.read(buffer); n >= 0; n = bytes.read(buffer)) {
                sha256.update(buffer, 0, n);
            }
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
