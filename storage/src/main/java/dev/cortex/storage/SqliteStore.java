package dev.cortex.storage;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.image.ImageStore;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.store.SpareStore;
import dev.cortex.storage.Documents.DiskDocument;
import dev.cortex.storage.Documents.SandboxDocument;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import tools.jackson.core.JacksonException;

/**
 * The store in one SQLite file. WAL with synchronous NORMAL: what was committed survives kill -9; after a power cut the
 * last transactions may be missing, never half of one.
 */
public final class SqliteStore implements SandboxStore {
    /** SQLite's codes (https://sqlite.org/rescode.html): a violated UNIQUE, a full disk, a disk's error. */
    private static final int CONSTRAINT = 19;

    private static final int FULL = 13;
    private static final int DISK_ERROR = 10;

    /** Of 4 KiB each: a stop and a remove write less than ten. */
    private static final int LOG_PAGES = 256;

    /** More pages than a log has before it is folded in. */
    private static final int HELD_BYTES = (LOG_PAGES + 16) * 4_096;

    /** With less a disk's error is taken for a full disk: SQLite does not tell which it was. */
    private static final long NO_ROOM = 1 << 20;

    private final Connection connection;
    private final ReentrantLock lock = new ReentrantLock();
    private final UUID homeId;
    private final SpaceReserve reserve;
    private final Path file;
    private final SqliteSpares spares;

    /** Empty where somebody else may write. */
    private final Optional<KnownRows> known;

    private SqliteStore(Connection connection, Path file, SpaceReserve reserve) throws SQLException {
        this.connection = connection;
        this.file = file;
        this.reserve = reserve;
        this.known = Optional.of(new KnownRows());
        this.spares = new SqliteSpares(this, connection);
        Migrations.apply(connection);
        this.homeId = readOrMakeHomeId();
    }

    private SqliteStore(Connection connection, Path file, UUID homeId) {
        this.connection = connection;
        this.file = file;
        this.homeId = homeId;
        this.reserve = reserveOf(file);
        this.known = Optional.empty();
        this.spares = new SqliteSpares(this, connection);
    }

    /** The space beside a database that is given up for what frees space. */
    public static SpaceReserve reserveOf(Path file) {
        return new SpaceReserve(file.resolveSibling("reserve"));
    }

    /**
     * Opens the database, makes it where it is missing, and brings its schema up to date.
     *
     * @param file the database; its folder exists and also gets the unpacked native library
     * @throws CortexException NOT_READY when it cannot be opened or belongs to a newer version
     */
    public static SqliteStore open(Path file) {
        return open(file, reserveOf(file));
    }

    /**
     * The same.
     *
     * @param reserve given up for what must be written although the disk is full: all but the beginning of something new
     */
    public static SqliteStore open(Path file, SpaceReserve reserve) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            SqliteLibrary.unpackInto(folder == null ? file : folder);
            keepPrivate(file);
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA journal_mode = WAL");
                statement.execute("PRAGMA synchronous = NORMAL");
                statement.execute("PRAGMA busy_timeout = 5000");
                statement.execute("PRAGMA wal_autocheckpoint = " + LOG_PAGES);
                SqliteStore store = new SqliteStore(connection, file, reserve);
                holdSpace(statement);
                return store;
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException | IOException e) {
            throw CortexException.of(
                            ErrorCode.NOT_READY,
                            "cannot open the database " + file,
                            "check that the folder is yours and its disk is not full")
                    .because(e);
        }
    }

    /**
     * A database that somebody else may have open, for reading alone; empty where there is none, or one of another
     * version.
     */
    public static Optional<SqliteStore> look(Path file) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            Path folder = file.toAbsolutePath().getParent();
            SqliteLibrary.unpackInto(folder == null ? file : folder);
            Connection connection = DriverManager.getConnection("jdbc:sqlite:file:" + file + "?mode=ro");
            try {
                if (Migrations.version(connection) != Migrations.NEWEST) {
                    connection.close();
                    return Optional.empty();
                }
                return Optional.of(new SqliteStore(connection, file, homeId(connection)));
            } catch (SQLException e) {
                connection.close();
                return Optional.empty();
            }
        } catch (SQLException | IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Writes the log and some pages of the database once to the length that they will have, and empties them: what is
     * written later goes over them, so that nobody who fills the disk meanwhile can stop it. The log is folded in at
     * that length and then begins anew.
     */
    private static void holdSpace(Statement statement) {
        try {
            statement.execute("CREATE TABLE IF NOT EXISTS held_space (bytes BLOB NOT NULL)");
            statement.executeUpdate("INSERT INTO held_space VALUES (zeroblob(" + HELD_BYTES + "))");
            statement.executeUpdate("DELETE FROM held_space");
        } catch (SQLException e) {
            // The disk is full already: the reserve file is what there is.
            System.getLogger(SqliteStore.class.getName())
                    .log(System.Logger.Level.DEBUG, () -> "no space could be held: " + e.getMessage());
        }
    }

    /**
     * Environments and tokens are for the owner alone, whatever the folder's mode. SQLite gives the log and the index
     * that it makes the database's own mode; those of a crash may be older than this.
     */
    private static void keepPrivate(Path file) throws IOException {
        Set<PosixFilePermission> owner = PosixFilePermissions.fromString("rw-------");
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(owner));
        } catch (FileAlreadyExistsException e) {
            for (String part : List.of("", "-wal", "-shm")) {
                Path existing = file.resolveSibling(file.getFileName() + part);
                if (Files.exists(existing)) {
                    Files.setPosixFilePermissions(existing, owner);
                }
            }
        }
    }

    @Override
    public SpareStore spares() {
        return spares;
    }

    /** The records of images, in the same database; closed with it. */
    public ImageStore images() {
        return new SqliteImages(this, connection);
    }

    @Override
    public UUID homeId() {
        return homeId;
    }

    @Override
    public SandboxRow insert(SandboxRow row, Intent intent) {
        return modestly(() -> {
            SandboxRow placed = row.at(lowestFreeSlot());
            add(placed, intent);
            return placed;
        });
    }

    @Override
    public Optional<SandboxRow> find(SandboxId id) {
        return known.flatMap(rows -> rows.sandbox(id.value()))
                .or(() -> transaction(() -> remembered(
                        first(rows("SELECT id, name, slot, state, document FROM sandbox WHERE id = ?", id.value())))));
    }

    @Override
    public Optional<SandboxRow> findByName(String name) {
        return known.flatMap(rows -> rows.sandboxNamed(name))
                .or(() -> transaction(() -> remembered(
                        first(rows("SELECT id, name, slot, state, document FROM sandbox WHERE name = ?", name)))));
    }

    @Override
    public Optional<SandboxRow> findByCreateKey(String key) {
        return transaction(
                () -> first(rows("SELECT id, name, slot, state, document FROM sandbox WHERE create_key = ?", key)));
    }

    @Override
    public List<SandboxRow> list(String after, int most) {
        return transaction(() -> {
            // A page may lack damaged rows, and must be full where more follow: read on until it is.
            List<SandboxRow> page = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement(
                    "SELECT id, name, slot, state, document FROM sandbox WHERE name > ? ORDER BY name")) {
                query.setString(1, after);
                try (ResultSet rows = query.executeQuery()) {
                    while (page.size() < most && rows.next()) {
                        knownOrRead(rows).ifPresent(page::add);
                    }
                }
            }
            return page;
        });
    }

    @Override
    public int count() {
        return transaction(() -> {
            try (Statement query = connection.createStatement();
                    ResultSet rows = query.executeQuery("SELECT count(*) FROM sandbox")) {
                return rows.next() ? rows.getInt(1) : 0;
            }
        });
    }

    @Override
    public void update(SandboxRow row) {
        transaction(() -> {
            replace(row);
            return row;
        });
    }

    @Override
    public void begin(Intent intent) {
        Work<Intent> work = () -> {
            write(intent);
            return intent;
        };
        if (intent.kind() == Intent.Kind.START) {
            modestly(work);
        } else {
            transaction(work);
        }
    }

    @Override
    public void complete(SandboxRow row) {
        transaction(() -> {
            replace(row);
            change("DELETE FROM intent WHERE sandbox = ?", row.id().value());
            return row;
        });
    }

    @Override
    public void remove(SandboxId id, boolean forgetDisk) {
        transaction(() -> {
            known.ifPresent(rows -> rows.forget(id));
            if (forgetDisk) {
                for (SandboxRow row :
                        rows("SELECT id, name, slot, state, document FROM sandbox WHERE id = ?", id.value())) {
                    String disk = row.settings().disk();
                    known.ifPresent(rows -> rows.forgetDisk(disk));
                    change("DELETE FROM disk WHERE name = ?", disk);
                }
            }
            change("DELETE FROM sandbox WHERE id = ?", id.value());
            change("DELETE FROM intent WHERE sandbox = ?", id.value());
            return id;
        });
    }

    @Override
    public Optional<Intent> intent(SandboxId id) {
        return first(intents("SELECT sandbox, kind, since FROM intent WHERE sandbox = ?", id.value()));
    }

    @Override
    public List<Intent> intents() {
        return intents("SELECT sandbox, kind, since FROM intent ORDER BY sandbox");
    }

    private List<Intent> intents(String sql, String... keys) {
        return transaction(() -> {
            List<Intent> intents = new ArrayList<>();
            try (PreparedStatement query = connection.prepareStatement(sql)) {
                for (int i = 0; i < keys.length; i++) {
                    query.setString(i + 1, keys[i]);
                }
                ResultSet rows = query.executeQuery();
                while (rows.next()) {
                    try {
                        intents.add(new Intent(
                                new SandboxId(rows.getString(1)),
                                Intent.Kind.valueOf(rows.getString(2)),
                                Instant.parse(rows.getString(3))));
                    } catch (RuntimeException e) {
                        // Reported by damaged().
                    }
                }
            }
            return intents;
        });
    }

    @Override
    public Optional<DiskRow> disk(String name) {
        return known.flatMap(rows -> rows.disk(name))
                .or(() -> transaction(() -> {
                    Optional<DiskRow> disk = first(readDisks("SELECT name, document FROM disk WHERE name = ?", name));
                    known.ifPresent(rows -> disk.ifPresent(rows::remember));
                    return disk;
                }));
    }

    @Override
    public void saveDisk(DiskRow disk) {
        modestly(() -> put(disk));
    }

    @Override
    public void forgetDisk(String name) {
        transaction(() -> {
            known.ifPresent(rows -> rows.forgetDisk(name));
            return change("DELETE FROM disk WHERE name = ?", name);
        });
    }

    @Override
    public List<DiskRow> disks() {
        return transaction(() -> readDisks("SELECT name, document FROM disk ORDER BY name"));
    }

    @Override
    public List<String> damaged() {
        return transaction(() -> {
            List<String> damaged = new ArrayList<>();
            collect(damaged, "SELECT id, name, slot, state, document FROM sandbox", SqliteStore::sandbox, "sandbox ");
            collect(damaged, "SELECT name, document FROM disk", SqliteStore::diskRow, "disk ");
            collect(
                    damaged,
                    "SELECT sandbox, kind, since FROM intent",
                    rows -> new Intent(
                            new SandboxId(rows.getString(1)),
                            Intent.Kind.valueOf(rows.getString(2)),
                            Instant.parse(rows.getString(3))),
                    "intent of ");
            collect(damaged, SqliteSpares.ALL, SqliteSpares::row, "spare ");
            return damaged;
        });
    }

    @Override
    public void close() {
        lock.lock();
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private UUID readOrMakeHomeId() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "INSERT INTO home (id) SELECT '" + UUID.randomUUID() + "' WHERE NOT EXISTS (SELECT 1 FROM home)");
            return homeId(connection);
        }
    }

    private static UUID homeId(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM home")) {
            if (!rows.next()) {
                throw new SQLException("the home has no id");
            }
            return UUID.fromString(rows.getString(1));
        }
    }

    /** In a transaction: a record that is new, with its slot and what was begun with it. */
    void add(SandboxRow placed, Intent intent) throws SQLException {
        try {
            change(
                    "INSERT INTO sandbox (id, name, slot, create_key, state, document)"
                            + " VALUES (?, ?, ?, nullif(?, ''), ?, ?)",
                    placed.id().value(),
                    placed.name(),
                    placed.slot(),
                    placed.settings().createKey(),
                    placed.state().word(),
                    json(placed));
        } catch (SQLException e) {
            if (e.getErrorCode() == CONSTRAINT) {
                throw CortexException.of(
                        ErrorCode.ALREADY_EXISTS,
                        "the name " + placed.name() + " is taken",
                        "use another name, or: cortex rm --force " + placed.name()
                                + "        (its disk stays; add --wipe to delete it)");
            }
            throw e;
        }
        write(intent);
    }

    /** In a transaction. */
    DiskRow put(DiskRow disk) throws SQLException {
        known.ifPresent(rows -> rows.forgetDisk(disk.name()));
        change(
                "INSERT INTO disk (name, document) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET document = excluded.document",
                disk.name(),
                Documents.JSON.writeValueAsString(DiskDocument.of(disk)));
        return disk;
    }

    /** In a transaction: the lowest that neither a sandbox nor a spare has. */
    int lowestFreeSlot() throws SQLException {
        int slot = 0;
        try (Statement query = connection.createStatement();
                ResultSet rows =
                        query.executeQuery("SELECT slot FROM sandbox UNION ALL SELECT slot FROM spare ORDER BY slot")) {
            while (rows.next() && rows.getInt(1) == slot) {
                slot++;
            }
        }
        return slot;
    }

    private void replace(SandboxRow row) throws SQLException {
        known.ifPresent(rows -> rows.forget(row.id()));
        int changed = change(
                "UPDATE sandbox SET state = ?, document = ? WHERE id = ?",
                row.state().word(),
                json(row),
                row.id().value());
        if (changed == 0) {
            throw CortexException.of(
                    ErrorCode.NOT_FOUND, "there is no sandbox " + row.name() + " any more", "cortex ls");
        }
    }

    private void write(Intent intent) throws SQLException {
        change(
                "INSERT INTO intent (sandbox, kind, since) VALUES (?, ?, ?) "
                        + "ON CONFLICT (sandbox) DO UPDATE SET kind = excluded.kind, since = excluded.since",
                intent.sandbox().value(),
                intent.kind().name(),
                intent.since().toString());
    }

    int change(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    private List<SandboxRow> rows(String sql, String key) throws SQLException {
        List<SandboxRow> found = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, key);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    readable(rows).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private List<DiskRow> readDisks(String sql, String... keys) throws SQLException {
        List<DiskRow> found = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < keys.length; i++) {
                query.setString(i + 1, keys[i]);
            }
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    try {
                        found.add(diskRow(rows));
                    } catch (RuntimeException e) {
                        // Reported by damaged().
                    }
                }
            }
        }
        return found;
    }

    private void collect(List<String> damaged, String sql, Reading reading, String what) throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet rows = query.executeQuery(sql)) {
            while (rows.next()) {
                try {
                    reading.read(rows);
                } catch (RuntimeException e) {
                    damaged.add(what + rows.getString(1) + ": " + firstLine(e));
                }
            }
        }
    }

    private Optional<SandboxRow> knownOrRead(ResultSet rows) throws SQLException {
        String id = rows.getString(1);
        Optional<SandboxRow> seen = known.flatMap(all -> all.sandbox(id));
        return seen.isPresent() ? seen : remembered(readable(rows));
    }

    /** The lock is held. */
    private Optional<SandboxRow> remembered(Optional<SandboxRow> read) {
        known.ifPresent(rows -> read.ifPresent(rows::remember));
        return read;
    }

    private static Optional<SandboxRow> readable(ResultSet rows) throws SQLException {
        try {
            return Optional.of(sandbox(rows));
        } catch (RuntimeException e) {
            // Reported by damaged(), so that it hides no other row.
            return Optional.empty();
        }
    }

    private static SandboxRow sandbox(ResultSet rows) throws SQLException {
        SandboxDocument document = Documents.JSON.readValue(rows.getString(5), SandboxDocument.class);
        return document.row(
                new SandboxId(rows.getString(1)), rows.getString(2), rows.getInt(3), state(rows.getString(4)));
    }

    private static DiskRow diskRow(ResultSet rows) throws SQLException {
        return Documents.JSON.readValue(rows.getString(2), DiskDocument.class).row(rows.getString(1));
    }

    private static State state(String word) {
        for (State state : State.values()) {
            if (state.word().equals(word)) {
                return state;
            }
        }
        throw new IllegalArgumentException("no state: " + word);
    }

    private static String json(SandboxRow row) {
        return Documents.JSON.writeValueAsString(SandboxDocument.of(row));
    }

    private static <T> Optional<T> first(List<T> found) {
        return found.stream().findFirst();
    }

    private static String firstLine(RuntimeException e) {
        String words = e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage();
        return words == null
                ? e.getClass().getSimpleName()
                : words.lines().findFirst().orElse("");
    }

    /** One that must not fail for want of space: what ends something, or undoes it. */
    <T> T transaction(Work<T> work) {
        try {
            T result = inOne(work);
            reserve.refillSoon();
            return result;
        } catch (SQLException e) {
            if (!isFull(e) || !reserve.release()) {
                throw failed(e);
            }
            return modestly(work);
        }
    }

    /** One that leaves the reserve to others: what begins something new. */
    <T> T modestly(Work<T> work) {
        try {
            return inOne(work);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private <T> T inOne(Work<T> work) throws SQLException {
        lock.lock();
        try {
            connection.setAutoCommit(false);
            try {
                T result = work.run();
                connection.commit();
                connection.setAutoCommit(true);
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                undo(e, connection::rollback);
                undo(e, () -> connection.setAutoCommit(true));
                throw e;
            }
        } finally {
            lock.unlock();
        }
    }

    /** A full disk has rolled the transaction back already, which SQLite then complains of. */
    private static void undo(Throwable cause, Undoing undoing) {
        try {
            undoing.run();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    private boolean isFull(SQLException e) {
        return e.getErrorCode() == FULL
                || (e.getErrorCode() == DISK_ERROR
                        && file.toAbsolutePath().resolveSibling(".").toFile().getUsableSpace() < NO_ROOM);
    }

    private CortexException failed(SQLException e) {
        return isFull(e)
                ? CortexException.of(
                                ErrorCode.DISK_FULL,
                                "the disk that holds the home is full",
                                "free space on it, or remove what you do not need: cortex usage, cortex rm --wipe NAME")
                        .because(e)
                : CortexException.of(ErrorCode.INTERNAL, "the home's database failed", "see daemon.log")
                        .because(e);
    }

    private interface Undoing {
        void run() throws SQLException;
    }

    interface Work<T> {
        T run() throws SQLException;
    }

    private interface Reading {
        Object read(ResultSet rows) throws SQLException;
    }
}
