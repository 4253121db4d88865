package dev.cortex.storage;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.sandbox.store.SpareStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The rows of spares, in the store's database and its transactions. */
final class SqliteSpares implements SpareStore {
    static final String ALL = "SELECT id, slot, document FROM spare";

    private final SqliteStore store;
    private final Connection connection;

    SqliteSpares(SqliteStore store, Connection connection) {
        this.store = store;
        this.connection = connection;
    }

    @Override
    public SpareRow insert(SpareRow row) {
        return store.modestly(() -> {
            SpareRow placed = row.at(store.lowestFreeSlot());
            store.change(
                    "INSERT INTO spare (id, slot, document) VALUES (?, ?, ?)",
                    placed.id().value(),
                    placed.slot(),
                    json(placed));
            return placed;
        });
    }

    @Override
    public void update(SpareRow row) {
        store.transaction(() -> store.change(
                "UPDATE spare SET document = ? WHERE id = ?",
                json(row),
                row.id().value()));
    }

    @Override
    public void remove(SandboxId id) {
        store.transaction(() -> store.change("DELETE FROM spare WHERE id = ?", id.value()));
    }

    @Override
    public List<SpareRow> all() {
        return store.transaction(() -> {
            List<SpareRow> found = new ArrayList<>();
            try (Statement query = connection.createStatement();
                    ResultSet rows = query.executeQuery(ALL)) {
                while (rows.next()) {
                    try {
                        found.add(row(rows));
                    } catch (RuntimeException e) {
                        // Reported by damaged().
                    }
                }
            }
            found.sort(Comparator.comparing(SpareRow::made));
            return found;
        });
    }

    @Override
    public SandboxRow claim(SandboxRow row, DiskRow disk, Intent intent) {
        return store.modestly(() -> {
            SandboxRow placed = row.at(slot(row.id()));
            store.change("DELETE FROM spare WHERE id = ?", row.id().value());
            store.add(placed, intent);
            store.put(disk);
            return placed;
        });
    }

    private int slot(SandboxId id) throws SQLException {
        try (var query = connection.prepareStatement("SELECT slot FROM spare WHERE id = ?")) {
            query.setString(1, id.value());
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    throw CortexException.of(ErrorCode.NOT_FOUND, "there is no spare " + id, "try again");
                }
                return rows.getInt(1);
            }
        }
    }

    static SpareRow row(ResultSet rows) throws SQLException {
        return Documents.JSON
                .readValue(rows.getString(3), SpareDocument.class)
                .row(new SandboxId(rows.getString(1)), rows.getInt(2));
    }

    private static String json(SpareRow row) {
        return Documents.JSON.writeValueAsString(SpareDocument.of(row));
    }
}
