package dev.cortex.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxSettings;
import dev.cortex.storage.Documents.SandboxDocument;
import dev.cortex.testkit.store.Rows;
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
                            stopped);
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
                        Arbitraries.strings(), limits, maps, maps, Arbitraries.strings(), Arbitraries.of(true, false))
                .as((image, limit, environment, labels, workdir, removeOnExit) -> new SandboxSettings(
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
                        workdir));
    }

    private static Arbitrary<Instant> instants() {
        return Arbitraries.longs().between(0, 4_000_000_000_000L).map(Instant::ofEpochMilli);
    }
}
