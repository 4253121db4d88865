package dev.cortex.cli.settings;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** Which project files their owner trusts, by path and digest: a changed file is another one. Kept in the home. */
public final class Trust {
    private final Path store;

    public Trust(Path home) {
        this.store = home.resolve("trusted.json");
    }

    boolean covers(SettingsFile file) {
        return digests().getOrDefault(name(file), Json.ABSENT).text().equals(digest(file.content()));
    }

    /**
     * @throws CortexException when the home cannot be written
     */
    public void add(SettingsFile file) {
        Map<String, Json> digests = new LinkedHashMap<>(digests());
        digests.put(name(file), Json.of(digest(file.content())));
        write(digests);
    }

    private Map<String, Json> digests() {
        try {
            return JsonText.read(Files.readAllBytes(store)).members();
        } catch (IOException e) {
            return Map.of();
        }
    }

    private void write(Map<String, Json> digests) {
        try {
            Files.createDirectories(
                    store.toAbsolutePath().getParent(),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Path next = Files.createTempFile(
                    store.toAbsolutePath().getParent(),
                    ".trusted",
                    "",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(next, JsonText.write(new Json.Members(digests)));
            Files.move(next, store, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.INTERNAL, "cannot write " + store, "make the home folder writable")
                    .because(e);
        }
    }

    private static String name(SettingsFile file) {
        return file.path().toAbsolutePath().normalize().toString();
    }

    private static String digest(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
