package dev.cortex.sandbox.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.SandboxId;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

final class ActivityTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final SandboxId ID = new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1ah");

    private final Set<SandboxId> records = ConcurrentHashMap.newKeySet();
    private final Activity activity = new Activity(Clock.fixed(NOON, ZoneOffset.UTC), records::contains);

    @Test
    void whatEndsBehindARemoveLeavesNothing() {
        records.add(ID);
        Activity.InUse stream = activity.begin(ID);
        assertThat(activity.last(ID)).contains(NOON);
        records.remove(ID);
        activity.forget(ID);
        activity.touch(ID);
        stream.close();
        activity.begin(ID).close();
        assertThat(activity.size()).isZero();
        assertThat(activity.last(ID)).isEmpty();
    }
}
