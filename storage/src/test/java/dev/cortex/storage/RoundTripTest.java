package dev.cortex.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.store.Life;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxSettings;
import dev.cortex.sandbox.terms.Egress;
import dev.cortex.sandbox.terms.Lifetime;
import dev.cortex.sandbox.terms.LiveMount;
import dev.cortex.sandbox.terms.Rights;
import dev.cortex.sandbox.terms.Terms;
import dev.cortex.sandbox.terms.Workspace;
import dev.cortex.storage.Documents.SandboxDocument;
import dev.cortex.testkit.store.Rows;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Any record survives being written and read, whatever its texts hold. */
final class RoundTripTest {
    @Property(tries = 300)
    void aRecordIsReadAsItWasWritten(@ForAll("rows") SandboxRow row) {
        String json = Documents.JSON.writeValueAsString(SandboxDocument.of(row));
        SandboxRow read = Documents.JSON
                .readValue(json, SandboxDocument.class)
                .row(row.id(), row.name(), row.slot(), row.state());
        assertThat(read).isEqualTo(row);
    }

    @Provide
    Arbitrary<SandboxRow> rows() {
        return Combinators.combine(
                        settings(),
                        Arbitraries.of(State.class),
                        Arbitraries.strings(),
                        Arbitraries.strings().numeric().ofLength(64),
                        Arbitraries.longs().greaterOrEqual(0),
                        instants(),
                        instants().optional(),
                        Arbitraries.strings().optional())
                .as((settings, state, reason, token, generation, created, stopped, handle) -> {
                    var id = Rows.id();
                    return new SandboxRow(
                            id,
                            "n",
                            3,
                            settings,
                            state,
                            reason,
                            "",
                            handle.map(data -> new Handle("oci", 2, id, data)),
                            new GuestToken(token),
                            generation,
                            created,
                            Optional.empty(),
                            stopped,
                            new Life("boot", stopped));
                });
    }

    private static Arbitrary<SandboxSettings> settings() {
        Arbitrary<Map<String, String>> maps = Arbitraries.maps(
                        Arbitraries.strings().ofMaxLength(9),
                        Arbitraries.strings().ofMaxLength(9))
                .ofMaxSize(4);
        Arbitrary<Limits> limits = Combinators.combine(
                        Arbitraries.longs(), Arbitraries.doubles().between(0, 64), Arbitraries.longs())
                .as((memory, cpus, processes) -> new Limits(memory, cpus, processes, 0));
        return Combinators.combine(
                        Arbitraries.strings(),
                        limits,
                        maps,
                        maps,
                        Arbitraries.strings(),
                        Arbitraries.of(true, false),
                        terms())
                .as((image, limit, environment, labels, workdir, removeOnExit, terms) -> new SandboxSettings(
                        "oci",
                        "crun",
                        image,
                        "",
                        limit,
                        environment,
                        labels,
                        "",
                        workdir,
                        removeOnExit,
                        "disk",
                        workdir,
                        terms));
    }

    private static Arbitrary<Terms> terms() {
        Arbitrary<LiveMount> mounts = Combinators.combine(
                        Arbitraries.strings().alpha().ofMinLength(1),
                        Arbitraries.strings(),
                        Arbitraries.of(true, false))
                .as((host, guest, flag) -> new LiveMount(Path.of("/" + host), guest, flag, !flag));
        Arbitrary<Optional<Duration>> durations =
                Arbitraries.longs().between(1, 1L << 40).map(Duration::ofMillis).optional();
        return Combinators.combine(
                        Arbitraries.of(Rights.Seccomp.values()),
                        mounts.list().ofMaxSize(3),
                        Arbitraries.strings().list().ofMaxSize(3),
                        durations,
                        durations,
                        Arbitraries.of(Lifetime.Then.values()),
                        Arbitraries.of(Lifetime.Restart.values()))
                .as((seccomp, live, hosts, timeout, idle, then, restart) -> new Terms(
                        new Rights(restart == Lifetime.Restart.NO, seccomp),
                        live,
                        timeout.map(ms -> new Workspace(Path.of("/w/" + ms.toMillis()))),
                        new Egress(hosts),
                        new Lifetime(timeout, idle, then, restart)));
    }

    private static Arbitrary<Instant> instants() {
        return Arbitraries.longs().between(0, 4_000_000_000_000L).map(Instant::ofEpochMilli);
    }
}
