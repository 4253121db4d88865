package dev.cortex.testkit.store;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.SandboxIds;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxSettings;
import dev.cortex.sandbox.store.SpareKind;
import dev.cortex.sandbox.terms.Rights;
import dev.cortex.sandbox.terms.Terms;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;

/** Rows for tests. */
public final class Rows {
    public static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final SandboxIds IDS = new SandboxIds(Clock.systemUTC(), new SecureRandom());

    private Rows() {}

    public static SandboxRow row(String name) {
        return SandboxRow.created(IDS.next(), name, settings(name), "", NOON);
    }

    public static SandboxSettings settings(String disk) {
        return new SandboxSettings(
                "oci",
                "crun",
                "host",
                "",
                Limits.DEFAULT,
                Map.of("A", "1"),
                Map.of("team", "core"),
                "",
                "/home/agent",
                false,
                disk,
                "key-of-" + disk,
                Terms.DEFAULT);
    }

    public static SpareKind spareKind() {
        return new SpareKind("oci", "crun", "host", "", "what it is made of", Limits.DEFAULT, Rights.DEFAULT);
    }

    public static SandboxId id() {
        return IDS.next();
    }
}
