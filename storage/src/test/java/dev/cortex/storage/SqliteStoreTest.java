package dev.cortex.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.store.Life;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.terms.Terms;
import dev.cortex.testkit.store.SandboxStoreContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

final class SqliteStoreTest extends SandboxStoreContract {
    @Override
    protected SandboxStore open(Path folder) {
        return SqliteStore.open(folder.resolve("cortex.db"));
    }

    @Test
    void aRowThatCannotBeReadHidesNoOther() throws SQLException {
        insert("a");
        insert("b");
        insert("c");
        sql("UPDATE sandbox SET document = '{\"version\":1,' WHERE name = 'b'");
        sql("INSERT INTO disk (name, document) VALUES ('x', 'no json')");
        sql("INSERT INTO intent (sandbox, kind, since) VALUES ('sb_', 'DANCE', 'yesterday')");
        try (SandboxStore store = open(home)) {
            assertThat(store.list("", 2)).extracting(SandboxRow::name).containsExactly("a", "c");
            assertThat(store.findByName("b")).isEmpty();
            assertThat(store.intents()).hasSize(3);
            assertThat(store.damaged()).hasSize(3).anyMatch(line -> line.startsWith("disk x: "));
        }
    }

    @Test
    void nobodyButItsOwnerReadsTheDatabaseWhateverItsModeWasBefore() throws Exception {
        Path own = Files.createDirectory(home.resolve("own"));
        for (int opened = 0; opened < 2; opened++) {
            try (SandboxStore store = open(own)) {
                assertThat(store.count()).isZero();
                for (String name : List.of("cortex.db", "cortex.db-wal", "cortex.db-shm")) {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own.resolve(name))))
                            .as(name)
                            .isEqualTo("rw-------");
                }
            }
            Files.setPosixFilePermissions(own.resolve("cortex.db"), PosixFilePermissions.fromString("rw-r--r--"));
        }
    }

    @Test
    void aRowOfALaterVersionIsReportedAndLeftAlone() throws SQLException {
        SandboxRow row = insert("a");
        sql("UPDATE sandbox SET document = replace(document, '\"version\":1', '\"version\":2') WHERE name = 'a'");
        try (SandboxStore store = open(home)) {
            assertThat(store.find(row.id())).isEmpty();
            assertThat(store.damaged()).singleElement().asString().contains("version 2");
        }
    }

    @Test
    void aDatabaseOfTheFirstSchemaIsBroughtForward() throws Exception {
        Path old = Files.createDirectory(home.resolve("old"));
        SandboxRow row = insert("a");
        ObjectNode document = Documents.JSON.valueToTree(Documents.SandboxDocument.of(row));
        document.remove("life");
        ((ObjectNode) document.get("settings")).remove(List.of("createKey", "terms"));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + old.resolve("cortex.db"));
                Statement statement = connection.createStatement();
                var script = SqliteStore.class.getResourceAsStream("migrations/1.sql")) {
            statement.executeUpdate(new String(script.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
            statement.executeUpdate("CREATE TABLE schema_version (version INTEGER NOT NULL)");
            statement.executeUpdate("INSERT INTO schema_version (version) VALUES (1)");
            statement.executeUpdate("INSERT INTO sandbox (id, name, slot, state, document) VALUES ('" + row.id()
                    + "', 'a', 0, '" + row.state().word() + "', '" + document + "')");
        }
        try (SandboxStore store = open(old)) {
            SandboxRow read = store.find(row.id()).orElseThrow();
            assertThat(read.settings().createKey()).isEmpty();
            assertThat(read.settings().terms()).isEqualTo(Terms.DEFAULT);
            assertThat(read.life()).isEqualTo(Life.NONE);
            assertThat(store.findByCreateKey("key-of-a")).isEmpty();
            assertThat(store.damaged()).isEmpty();
        }
    }

    @Test
    void aNewerSchemaIsRefused() throws SQLException {
        sql("INSERT INTO schema_version (version) VALUES (99)");
        assertThatThrownBy(() -> open(home)).isInstanceOfSatisfying(CortexException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.NOT_READY);
            assertThat(e.getMessage()).contains("99");
            assertThat(e.remedy()).isPresent();
        });
    }

    @Test
    void aFileThatIsNoDatabaseIsNotReady() throws Exception {
        Path other = Files.createDirectory(home.resolve("other"));
        Files.writeString(other.resolve("cortex.db"), "this is no database, whatever its name says".repeat(100));
        assertThatThrownBy(() -> open(other))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_READY));
    }

    @Test
    void theNativeLibraryIsUnpackedOnce() {
        assertThat(System.getProperty("org.sqlite.lib.path")).isNotNull();
    }

    private void sql(String command) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("cortex.db"));
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(command);
        }
    }
}
