package dev.cortex.sandbox;

import java.time.Clock;
import java.util.random.RandomGenerator;

/** Mints ids. Thread-safe where its generator is. */
public final class SandboxIds {
    private final Clock clock;
    private final RandomGenerator random;

    /** @param random cryptographically strong: ids are never reused, whoever makes them */
    public SandboxIds(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** A UUIDv7 (RFC 9562): 48 bits of milliseconds, version, 12 random bits, variant, 62 random bits. */
    public SandboxId next() {
        long high = (clock.millis() << 16) | 0x7000 | (random.nextLong() & 0xfff);
        long low = (random.nextLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
        return new SandboxId("sb_" + Crockford.of(high, low, 26));
    }

    /** A session's id: {@code s_} and 80 random bits. */
    public String nextSession() {
        return "s_" + Crockford.of(random.nextLong(), random.nextLong(), 16);
    }
}
