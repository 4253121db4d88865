package dev.cortex.drivers.launch;

import dev.cortex.sandbox.SandboxId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The soft limit RLIMIT_LOCKS that every process of a sandbox carries. The kernel has not enforced that limit since
 * 2.4, children inherit it, and a process cannot hide it, so that all of them are found from the sandbox id alone. The
 * high 42 bits are the sandbox's, the low 22 a session's.
 */
public final class Mark {
    private static final int SESSION_BITS = 22;

    private Mark() {}

    /** Positive, with 41 bits of a digest of the id; never zero in the sandbox's part. */
    public static long of(SandboxId sandbox) {
        long digest = ByteBuffer.wrap(sha256(sandbox.value())).getLong() & Long.MAX_VALUE;
        long high = digest >>> SESSION_BITS << SESSION_BITS;
        return high == 0 ? 1L << SESSION_BITS : high;
    }

    /** The sandbox's part alone, as the neuron takes it. */
    public static long number(SandboxId sandbox) {
        return of(sandbox) >>> SESSION_BITS;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
