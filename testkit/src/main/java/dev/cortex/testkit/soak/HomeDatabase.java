package dev.cortex.testkit.soak;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the database of a home, whether a daemon has it open or not; changes nothing. */
public final class HomeDatabase {
    private final String url;

    private HomeDatabase(String url) {
        this.url = url;
    }

    public static HomeDatabase of(Home home) {
        return new HomeDatabase("jdbc:sqlite:file:" + home.folder().resolve("cortex.db") + "?mode=ro");
    }

    /** The home's id, from which the name of its control groups derives. */
    public String id() throws IOException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT id FROM home")) {
            if (!row.next()) {
                throw new IOException("the home has no id yet");
            }
            return row.getString(1);
        } catch (SQLException e) {
            throw new IOException("reading the home's database", e);
        }
    }

    /** Ids of the sandboxes that were started ahead and are nobody's yet. */
    public List<String> spares() throws IOException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            List<String> ids = new ArrayList<>();
            try (ResultSet all = statement.executeQuery("SELECT id FROM spare")) {
                while (all.next()) {
                    ids.add(all.getString(1));
                }
            }
            return ids;
        } catch (SQLException e) {
            throw new IOException("reading the home's database", e);
        }
    }

    /** How many rows each table has. */
    public Map<String, Long> rows() throws IOException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            Map<String, Long> rows = new TreeMap<>();
            for (String table : tables(statement)) {
                try (ResultSet count = statement.executeQuery("SELECT count(*) FROM \"" + table + "\"")) {
                    rows.put(table, count.next() ? count.getLong(1) : 0);
                }
            }
            return rows;
        } catch (SQLException e) {
            throw new IOException("reading the home's database", e);
        }
    }

    private static List<String> tables(Statement statement) throws SQLException {
        List<String> names = new ArrayList<>();
        try (ResultSet all = statement.executeQuery("SELECT name FROM sqlite_master WHERE type = 'table'")) {
            while (all.next()) {
                names.add(all.getString(1));
            }
        }
        return names;
    }
}
