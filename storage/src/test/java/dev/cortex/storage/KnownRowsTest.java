package dev.cortex.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.sandbox.State;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.testkit.store.Rows;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the store remembers of its rows is never older than what it was last told. */
final class KnownRowsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir
    Path home;

    @Test
    void everyWayToAskAnswersWithWhatWasWrittenLast() {
        try (SqliteStore store = open()) {
            SandboxRow row = insert(store, "a");
            askedEveryWay(store, row);
            SandboxRow running = row.running(NOW);
            store.update(running);
            askedEveryWay(store, running);
            SandboxRow stopped = running.stopped("by a test", NOW);
            store.complete(stopped);
            askedEveryWay(store, stopped);
        }
    }

    @Test
    void aRemovedRowIsNotRememberedAndItsNameMayComeBack() {
        try (SqliteStore store = open()) {
            SandboxRow first = insert(store, "a");
            store.saveDisk(disk("a", 1));
            askedEveryWay(store, first);
            assertThat(store.disk("a")).isPresent();
            store.remove(first.id(), true);
            assertThat(store.find(first.id())).isEmpty();
            assertThat(store.findByName("a")).isEmpty();
            assertThat(store.list("", 9)).isEmpty();
            SandboxRow second = insert(store, "a");
            askedEveryWay(store, second);
            assertThat(store.find(first.id())).isEmpty();
        }
    }

    @Test
    void aDiskIsWhatWasSavedLast() {
        try (SqliteStore store = open()) {
            store.saveDisk(disk("d", 1));
            assertThat(store.disk("d").orElseThrow().limitBytes()).isEqualTo(1);
            store.saveDisk(disk("d", 2));
            assertThat(store.disk("d").orElseThrow().limitBytes()).isEqualTo(2);
            store.forgetDisk("d");
            assertThat(store.disk("d")).isEmpty();
        }
    }

    @Test
    void whatWasRolledBackIsNotRemembered() {
        try (SqliteStore store = open()) {
            store.saveDisk(disk("d", 1));
            assertThat(store.disk("d").orElseThrow().limitBytes()).isEqualTo(1);
            assertThatThrownBy(() -> store.transaction(() -> {
                        store.put(disk("d", 2));
                        throw new IllegalStateException("cut off");
                    }))
                    .hasMessage("cut off");
            assertThat(store.disk("d").orElseThrow().limitBytes()).isEqualTo(1);
        }
    }

    @Test
    void aReaderBesideAWriterNeverSeesARowGoBack() throws Exception {
        try (SqliteStore store = open()) {
            SandboxRow row = insert(store, "a");
            AtomicBoolean done = new AtomicBoolean();
            AtomicBoolean wentBack = new AtomicBoolean();
            List<Thread> readers = List.of(0, 1).stream()
                    .map(i -> Thread.ofVirtual().start(() -> {
                        long last = 0;
                        while (!done.get()) {
                            long now = Long.parseLong(
                                    "0" + store.find(row.id()).orElseThrow().reason());
                            wentBack.compareAndSet(false, now < last);
                            last = now;
                        }
                    }))
                    .toList();
            for (int i = 1; i <= 300; i++) {
                store.update(row.stopped(Integer.toString(i), NOW));
                assertThat(store.findByName("a").orElseThrow().reason()).isEqualTo(Integer.toString(i));
            }
            done.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
            assertThat(wentBack).isFalse();
        }
    }

    private SqliteStore open() {
        return SqliteStore.open(home.resolve("cortex.db"));
    }

    private static SandboxRow insert(SqliteStore store, String name) {
        SandboxRow row = Rows.row(name);
        return store.insert(row, new Intent(row.id(), Intent.Kind.CREATE, NOW));
    }

    private static DiskRow disk(String name, long limit) {
        return new DiskRow(name, "folder", "oci", "host", "", false, limit, NOW);
    }

    private static void askedEveryWay(SqliteStore store, SandboxRow expected) {
        for (int again = 0; again < 2; again++) {
            assertThat(store.find(expected.id())).contains(expected);
            assertThat(store.findByName(expected.name())).contains(expected);
            assertThat(store.list("", 9)).containsExactly(expected);
        }
        assertThat(expected.state()).isIn((Object[]) State.values());
    }
}
