package dev.cortex.storage;

import dev.cortex.sandbox.image.ImageRow;
import dev.cortex.sandbox.image.ImageStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Images in the home's database. There are dozens of them, and what is not looked for by a key is found by reading all. */
final class SqliteImages implements ImageStore {
    /** Who asks by the beginning of a digest needs to know whether it is one image, not all of them. */
    private static final int ALIKE = 3;

    private final SqliteStore store;
    private final Connection connection;

    SqliteImages(SqliteStore store, Connection connection) {
        this.store = store;
        this.connection = connection;
    }

    @Override
    public void save(ImageRow image, List<String> names) {
        store.modestly(() -> {
            Optional<ImageRow> known =
                    rows("SELECT digest, document FROM image WHERE digest = ?", image.digest()).stream()
                            .findFirst();
            ImageRow kept = known.map(earlier -> merged(earlier, image)).orElse(image);
            change(
                    "INSERT INTO image (digest, document) VALUES (?, ?) "
                            + "ON CONFLICT (digest) DO UPDATE SET document = excluded.document",
                    kept.digest(),
                    Documents.JSON.writeValueAsString(ImageDocument.of(kept)));
            for (String name : names) {
                change(
                        "INSERT INTO image_name (name, digest) VALUES (?, ?) "
                                + "ON CONFLICT (name) DO UPDATE SET digest = excluded.digest",
                        name,
                        kept.digest());
            }
            return kept;
        });
    }

    /** The same content came another way: what either way tells is kept. */
    private static ImageRow merged(ImageRow earlier, ImageRow now) {
        Set<String> archives = new TreeSet<>(earlier.archives());
        archives.addAll(now.archives());
        return new ImageRow(
                now.digest(),
                now.manifest().or(earlier::manifest),
                now.kind(),
                now.platform(),
                now.config(),
                now.labels(),
                now.created(),
                earlier.imported(),
                List.copyOf(archives),
                now.layers());
    }

    @Override
    public Optional<ImageRow> named(String name) {
        return store
                .transaction(() -> rows(
                        "SELECT image.digest, document FROM image JOIN image_name USING (digest) WHERE name = ?", name))
                .stream()
                .findFirst();
    }

    @Override
    public List<ImageRow> byDigest(String beginning) {
        return store.transaction(() -> rows("SELECT digest, document FROM image ORDER BY digest")).stream()
                .filter(image -> image.digest().startsWith(beginning)
                        || image.manifest().orElse("").startsWith(beginning))
                .limit(ALIKE)
                .toList();
    }

    @Override
    public Optional<ImageRow> byArchive(String sha256) {
        return store.transaction(() -> rows("SELECT digest, document FROM image ORDER BY digest")).stream()
                .filter(image -> image.archives().contains(sha256))
                .findFirst();
    }

    @Override
    public List<Entry> list(String after, int most) {
        return store.transaction(() -> {
            List<Entry> entries = new ArrayList<>();
            for (ImageRow image :
                    rows("SELECT digest, document FROM image WHERE digest > ? ORDER BY digest LIMIT ?", after, most)) {
                entries.add(entry(image));
            }
            return entries;
        });
    }

    @Override
    public Optional<Entry> entry(String digest) {
        return store.transaction(() -> {
            List<ImageRow> found = rows("SELECT digest, document FROM image WHERE digest = ?", digest);
            return found.isEmpty() ? Optional.<Entry>empty() : Optional.of(entry(found.getFirst()));
        });
    }

    @Override
    public boolean forgetName(String name) {
        return store.transaction(() -> change("DELETE FROM image_name WHERE name = ?", name)) > 0;
    }

    @Override
    public List<String> removeUnused(String digest) {
        return store.transaction(() -> {
            List<String> users = new ArrayList<>(users(digest));
            if (users.isEmpty() && isStartedAhead(digest)) {
                users.add("a sandbox that is being started ahead (try again)");
            }
            if (users.isEmpty()) {
                change("DELETE FROM image_name WHERE digest = ?", digest);
                change("DELETE FROM image WHERE digest = ?", digest);
            }
            return users;
        });
    }

    @Override
    public boolean removeUnneeded(String digest) {
        return store.transaction(() -> users(digest).isEmpty()
                && !isStartedAhead(digest)
                && texts("SELECT name FROM image_name WHERE digest = ?", digest).isEmpty()
                && change("DELETE FROM image WHERE digest = ?", digest) > 0);
    }

    @Override
    public Set<String> chains() {
        return store.transaction(() -> {
            Set<String> chains = new HashSet<>();
            // One that cannot be read fails the call: its layers must not be taken for nobody's.
            for (String document : texts("SELECT document FROM image WHERE digest > ?", "")) {
                read("", document).layers().forEach(layer -> chains.add(layer.chain()));
            }
            return chains;
        });
    }

    private Entry entry(ImageRow image) throws SQLException {
        return new Entry(
                image,
                texts("SELECT name FROM image_name WHERE digest = ? ORDER BY name", image.digest()),
                users(image.digest()));
    }

    /** A record that cannot be read counts as a user when the digest is in it anywhere: what is ambiguous is kept. */
    private List<String> users(String digest) throws SQLException {
        List<String> users = new ArrayList<>(texts(
                "SELECT name FROM sandbox WHERE CASE WHEN json_valid(document) "
                        + "THEN json_extract(document, '$.settings.digest') = ?1 ELSE instr(document, ?1) > 0 END "
                        + "ORDER BY name",
                digest));
        for (String disk : texts(
                "SELECT name FROM disk WHERE CASE WHEN json_valid(document) "
                        + "THEN json_extract(document, '$.digest') = ?1 ELSE instr(document, ?1) > 0 END ORDER BY name",
                digest)) {
            if (!users.contains(disk)) {
                users.add("the kept disk " + disk);
            }
        }
        return users;
    }

    /** Not among the users that are shown: a spare is nobody's, and goes before its image does. */
    private boolean isStartedAhead(String digest) throws SQLException {
        return !texts(
                        "SELECT id FROM spare WHERE CASE WHEN json_valid(document) "
                                + "THEN json_extract(document, '$.digest') = ?1 ELSE instr(document, ?1) > 0 END",
                        digest)
                .isEmpty();
    }

    private List<ImageRow> rows(String sql, Object... values) throws SQLException {
        List<ImageRow> found = new ArrayList<>();
        try (PreparedStatement query = prepared(sql, values);
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                try {
                    found.add(read(rows.getString(1), rows.getString(2)));
                } catch (RuntimeException e) {
                    // It hides no other.
                }
            }
        }
        return found;
    }

    private static ImageRow read(String digest, String document) {
        return Documents.JSON.readValue(document, ImageDocument.class).row(digest);
    }

    private List<String> texts(String sql, String value) throws SQLException {
        List<String> found = new ArrayList<>();
        try (PreparedStatement query = prepared(sql, value);
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    private int change(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(sql, values)) {
            return statement.executeUpdate();
        }
    }

    private PreparedStatement prepared(String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
