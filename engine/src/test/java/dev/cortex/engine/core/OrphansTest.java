package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Discovering;
import dev.cortex.sandbox.driver.Discovering.Trace;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.service.Folders;
import dev.cortex.sandbox.service.Orphans;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.storage.SqliteStore;
import dev.cortex.testkit.store.Rows;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken for an orphan, and what is not. */
final class OrphansTest {
    @TempDir
    Path home;

    /** A driver that answers that question alone. */
    private static SandboxDriver finding(Supplier<List<Trace>> traces) {
        return (SandboxDriver) Proxy.newProxyInstance(
                OrphansTest.class.getClassLoader(),
                new Class<?>[] {SandboxDriver.class, Discovering.class},
                (proxy, method, arguments) -> method.getName().equals("discover") ? traces.get() : "fake");
    }

    private Orphans.Found look(SqliteStore store, SandboxDriver... drivers) {
        return new Orphans(store, List.of(drivers), new Folders(home, home.resolve("run"))).look();
    }

    private SqliteStore open() {
        return SqliteStore.open(home.resolve("cortex.db"));
    }

    private Path folder(String kind, SandboxId id) throws IOException {
        return Files.createDirectories(home.resolve(kind).resolve(id.value()));
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("cortex.db"));
                Statement sql = connection.createStatement()) {
            sql.executeUpdate(statement);
        }
    }

    @Test
    void everythingThatBearsTheNameOfAnUnknownSandboxIsOneOrphan() throws Exception {
        SandboxId lost = Rows.id();
        folder("run", lost);
        folder("sandboxes", lost);
        try (SqliteStore store = open()) {
            Orphans.Found found = look(store, finding(() -> List.of(new Trace(lost, "process 7"))));
            assertThat(found.orphans())
                    .singleElement()
                    .satisfies(orphan -> assertThat(orphan.what()).hasSize(3).contains("process 7"));
            assertThat(found.unsure()).isEmpty();
        }
    }

    @Test
    void whatARecordOrAnIntentKnowsIsNone() throws Exception {
        try (SqliteStore store = open()) {
            SandboxRow row = Rows.row("a");
            store.insert(row, new Intent(row.id(), Intent.Kind.CREATE, Rows.NOON));
            folder("run", row.id());
            folder("disks", row.id());
            assertThat(look(store, finding(() -> List.of(new Trace(row.id(), "process 7"))))
                            .nothing())
                    .isTrue();
        }
    }

    @Test
    void aCreateThatBeginsWhileTheOutsideIsLookedAtIsNone() throws Exception {
        try (SqliteStore store = open()) {
            SandboxRow row = Rows.row("late");
            SandboxDriver driver = finding(() -> {
                store.insert(row, new Intent(row.id(), Intent.Kind.CREATE, Rows.NOON));
                return List.of(new Trace(row.id(), "process 7"));
            });
            assertThat(look(store, driver).nothing()).isTrue();
        }
    }

    @Test
    void aRemovalThatEndsWhileTheOutsideIsLookedAtIsNone() throws Exception {
        try (SqliteStore store = open()) {
            SandboxRow row = Rows.row("early");
            store.insert(row, new Intent(row.id(), Intent.Kind.CREATE, Rows.NOON));
            store.complete(row);
            store.saveDisk(new DiskRow("early", row.id().value(), "oci", "host", "", false, 0, Rows.NOON));
            folder("run", row.id());
            folder("disks", row.id());
            SandboxDriver driver = finding(() -> {
                List<Trace> seen = List.of(new Trace(row.id(), "process 7"));
                store.remove(row.id(), true);
                return seen;
            });
            assertThat(look(store, driver).nothing()).isTrue();
        }
    }

    @Test
    void whatARecordThatCannotBeReadMayKnowIsKeptAndSaid() throws Exception {
        try (SqliteStore store = open()) {
            SandboxRow row = Rows.row("a");
            store.insert(row, new Intent(row.id(), Intent.Kind.CREATE, Rows.NOON));
            store.complete(row);
            folder("run", row.id());
            SandboxId disk = Rows.id();
            folder("disks", disk);
            sql("UPDATE sandbox SET document = 'no json'");
            sql("INSERT INTO disk (name, document) VALUES ('x', 'no json')");
            Orphans.Found found = look(store);
            assertThat(found.nothing()).isTrue();
            assertThat(found.unsure())
                    .hasSize(2)
                    .anyMatch(line -> line.contains(row.id().value()));
        }
    }

    @Test
    void aDriverThatCannotLookIsSaid() throws Exception {
        try (SqliteStore store = open()) {
            Orphans.Found found = look(store, finding(() -> {
                throw CortexException.of(ErrorCode.DRIVER_FAILED, "no /proc", "");
            }));
            assertThat(found.unsure()).singleElement().asString().contains("no /proc");
        }
    }

    @Test
    void aDiskThatNoRecordNamesIsFoundAndAKeptOneIsNot() throws Exception {
        SandboxId lost = Rows.id();
        SandboxId kept = Rows.id();
        Path orphan = folder("disks", lost);
        folder("disks", kept);
        try (SqliteStore store = open()) {
            store.saveDisk(new DiskRow("name", kept.value(), "oci", "host", "", false, 0, Rows.NOON));
            assertThat(look(store).disks()).containsExactly(orphan);
        }
    }

    @Test
    void linksAndOtherNamesAreNobodys() throws Exception {
        folder("sandboxes", Rows.id());
        Path sandboxes = home.resolve("sandboxes");
        Files.createDirectories(sandboxes.resolve("notes"));
        Files.createDirectories(sandboxes.resolve("sb_short"));
        Path elsewhere = Files.createDirectories(home.resolve("elsewhere"));
        Files.createSymbolicLink(sandboxes.resolve(Rows.id().value()), elsewhere);
        try (SqliteStore store = open()) {
            assertThat(look(store).orphans()).hasSize(1);
        }
    }
}
