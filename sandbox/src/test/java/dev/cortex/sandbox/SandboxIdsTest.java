package dev.cortex.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SandboxIdsTest {
    private final SandboxIds ids = new SandboxIds(Clock.systemUTC(), new SplittableRandom(1));

    @Test
    void idsHaveTheirFormAndAreDifferent() {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            String id = ids.next().value();
            assertThat(id).hasSize(29).startsWith("sb_");
            assertThat(seen.add(id)).isTrue();
        }
    }

    @Test
    void laterIdsSortBehindEarlierOnes() {
        String early = at("2026-01-01T00:00:00Z").next().value();
        String late = at("2026-01-01T00:00:00.001Z").next().value();
        assertThat(early).isLessThan(late);
    }

    @Test
    void anIdIsAUuidOfVersionSeven() {
        // 26 digits of five bits hold two bits more than a UUID, at the front; the version is bits 48 to 51 of the
        // UUID.
        String digits = at("2026-01-01T00:00:00Z").next().value().substring(3);
        var number = java.math.BigInteger.ZERO;
        for (char c : digits.toCharArray()) {
            number = number.shiftLeft(5)
                    .add(java.math.BigInteger.valueOf("0123456789abcdefghjkmnpqrstvwxyz".indexOf(c)));
        }
        var uuid = new java.util.UUID(number.shiftRight(64).longValue(), number.longValue());
        assertThat(uuid.version()).isEqualTo(7);
        assertThat(uuid.variant()).isEqualTo(2);
        assertThat(uuid.getMostSignificantBits() >>> 16)
                .isEqualTo(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli());
    }

    @Test
    void sessionIdsHaveTheirForm() {
        assertThat(ids.nextSession()).matches("s_[0-9a-hjkmnp-tv-z]{16}").isNotEqualTo(ids.nextSession());
    }

    @Test
    void madeUpNamesAreNames() {
        Random random = new Random(7);
        for (int i = 0; i < 1_000; i++) {
            assertThat(SandboxName.madeUp(random).value()).matches("[a-z]+-[a-z]+-[0-9a-z]{4}");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "api", "a-1", "0", "x23456789012345678901234567890123456789012345678901234567890123"})
    void namesOfTheFormAreTaken(String name) {
        assertThat(new SandboxName(name).value()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-a",
                "a-",
                "A",
                "a_b",
                "a.b",
                "a/b",
                "..",
                "a b",
                "ä",
                "sb_01kb8q5v3mfxw4s6y2r9t7c1ah",
                "x234567890123456789012345678901234567890123456789012345678901234"
            })
    void otherNamesAreRefused(String name) {
        assertThatThrownBy(() -> new SandboxName(name)).isInstanceOf(CortexException.class);
    }

    private static SandboxIds at(String instant) {
        return new SandboxIds(Clock.fixed(Instant.parse(instant), ZoneOffset.UTC), new SplittableRandom(2));
    }
}
