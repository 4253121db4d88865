package dev.cortex.sandbox.service;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Placement;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.store.SandboxRow;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** What a sandbox is told about itself. */
final class Identities {
    /** All rings of a sandbox: 64 MiB or an eighth of its memory, whichever is less (DESIGN section 6). */
    private static final long RINGS = 64L << 20;

    private static final int RINGS_SHARE = 8;

    private Identities() {}

    static GuestIdentity of(SandboxRow row, Placement placement, boolean proxy) {
        List<byte[]> environment = row.settings().environment().entrySet().stream()
                .map(entry -> (entry.getKey() + "=" + entry.getValue()).getBytes(StandardCharsets.UTF_8))
                .toList();
        long memory = row.settings().limits().memoryBytes();
        return new GuestIdentity(
                row.token(),
                row.generation(),
                row.name(),
                machineId(row.id()),
                environment,
                placement.user(),
                row.settings().workdir(),
                memory == 0 ? RINGS : Math.min(RINGS, memory / RINGS_SHARE),
                row.settings().terms().rights().root(),
                proxy);
    }

    /** The same at each start, and no other sandbox's: 32 hex digits of a hash. */
    private static String machineId(SandboxId id) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(("machine-id " + id.value()).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
