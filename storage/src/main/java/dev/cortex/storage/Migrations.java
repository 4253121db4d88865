package dev.cortex.storage;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Brings a database to the newest schema, one file of {@code migrations/} after the other, each in a transaction of its
 * own together with its number. A library for this costs 1.5 s at a cold start.
 */
final class Migrations {
    /** The newest schema; there is a file {@code migrations/N.sql} for each number up to it. */
    static final int NEWEST = 4;

    private Migrations() {}

    /** @throws CortexException NOT_READY when a newer version has written the database */
    static void apply(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
        }
        int version = version(connection);
        if (version > NEWEST) {
            throw CortexException.of(
                    ErrorCode.NOT_READY,
                    "the home was written by a newer Cortex: its schema is " + version + ", this one knows " + NEWEST,
                    "run the newer version, or set CORTEX_HOME to another folder");
        }
        for (int next = version + 1; next <= NEWEST; next++) {
            apply(connection, next);
        }
    }

    /** @throws SQLException when nobody has written one yet */
    static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SELECT max(version) FROM schema_version")) {
                return rows.next() ? rows.getInt(1) : 0;
            }
        }
    }

    private static void apply(Connection connection, int version) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            for (String command : script(version).split(";\\s*\\n")) {
                if (!command.isBlank()) {
                    statement.executeUpdate(command);
                }
            }
            statement.executeUpdate("INSERT INTO schema_version (version) VALUES (" + version + ")");
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static String script(int version) {
        try (InputStream file = Migrations.class.getResourceAsStream("migrations/" + version + ".sql")) {
            if (file == null) {
                throw new IllegalStateException("no migration to schema " + version);
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
