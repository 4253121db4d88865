package dev.cortex.storage;

import dev.cortex.protocol.wire.Frame.Tag;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;

/**
 * Sessions as files: {@code sessions/sessions.json} with the statuses, {@code sessions/<id>.out} with the output. An
 * output file is a row of records, each a byte for the stream, four for the length (big-endian), and the bytes.
 */
public final class FileSessionArchive implements SessionArchive {
    /** The index of a folder is read, changed and replaced by one thread at a time. */
    private final ReentrantLock[] locks =
            Stream.generate(ReentrantLock::new).limit(64).toArray(ReentrantLock[]::new);

    /** A guest's ids become file names: nothing but what the host itself mints. */
    private static final Pattern ID = Pattern.compile("s_[0-9a-z]{16}");

    private static final Tag[] TAGS = Tag.values();

    /** Of a record; a frame holds at most 64 KiB. */
    private static final int LONGEST = 1 << 20;

    private final SpaceReserve reserve;

    /** @param reserve given up for the statuses when the disk is full */
    public FileSessionArchive(SpaceReserve reserve) {
        this.reserve = reserve;
    }

    @Override
    public Output write(Path folder, String session) throws IOException {
        Path file = output(folder, session);
        Files.createDirectories(sessionsFolder(folder));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
        return new Output() {
            private boolean whole = true;

            @Override
            public void append(Tag tag, ByteBuffer bytes) throws IOException {
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                whole = false;
                out.writeByte(tag.ordinal());
                out.writeInt(copy.length);
                out.write(copy);
                whole = true;
            }

            @Override
            public void close() throws IOException {
                try {
                    out.close();
                } catch (IOException e) {
                    whole = false;
                    throw e;
                } finally {
                    if (!whole) {
                        // It would be taken for what there was; and somebody needs the space.
                        Files.deleteIfExists(file);
                    }
                }
            }
        };
    }

    @Override
    public boolean hasOutput(Path folder, String session) {
        try {
            return Files.exists(output(folder, session));
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void save(Path folder, List<SessionStatus> statuses) throws IOException {
        ReentrantLock lock = lockOf(folder);
        lock.lock();
        try {
            add(folder, statuses);
        } finally {
            lock.unlock();
        }
    }

    private void add(Path folder, List<SessionStatus> statuses) throws IOException {
        Map<String, SessionStatus> all = new LinkedHashMap<>();
        read(folder).forEach(status -> all.put(status.id(), status));
        // A guest may call a session whatever it likes; what is no id of ours was never ours.
        statuses.stream()
                .filter(status -> ID.matcher(status.id()).matches())
                .forEach(status -> all.put(status.id(), status));
        List<SessionStatus> sorted = new ArrayList<>(all.values());
        sorted.sort(Comparator.comparing(SessionStatus::started));
        int tooMany = Math.max(0, sorted.size() - STATUSES);
        for (SessionStatus gone : sorted.subList(0, tooMany)) {
            Files.deleteIfExists(output(folder, gone.id()));
        }
        List<SessionStatus> kept = sorted.subList(tooMany, sorted.size());
        try {
            replace(folder, kept);
        } catch (IOException e) {
            if (!reserve.release()) {
                throw e;
            }
            replace(folder, kept);
        }
    }

    @Override
    public List<SessionStatus> sessions(Path folder) throws IOException {
        return read(folder);
    }

    private static List<SessionStatus> read(Path folder) throws IOException {
        try {
            byte[] json = Files.readAllBytes(index(folder));
            Index index = Documents.JSON.readValue(json, Index.class);
            if (index.version() != Index.VERSION) {
                throw new IOException(index(folder) + " has version " + index.version());
            }
            return index.sessions().stream().map(SessionDocument::status).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (JacksonException e) {
            throw new IOException(index(folder) + " cannot be read", e);
        }
    }

    @Override
    public void read(Path folder, String session, Records to) throws IOException {
        Path file = output(folder, session);
        if (!Files.exists(file)) {
            return;
        }
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            for (int tag = in.read(); tag >= 0; tag = in.read()) {
                // The file was cut off by a crash, or damaged, if this does not fit: what is whole before it is shown.
                int length = in.readInt();
                if (length < 0 || length > LONGEST || tag >= TAGS.length) {
                    return;
                }
                byte[] bytes = in.readNBytes(length);
                if (bytes.length != length || !to.take(TAGS[tag], ByteBuffer.wrap(bytes))) {
                    return;
                }
            }
        } catch (EOFException e) {
            return;
        }
    }

    @Override
    public void remove(Path folder, String session) throws IOException {
        ReentrantLock lock = lockOf(folder);
        lock.lock();
        try {
            replace(
                    folder,
                    read(folder).stream().filter(s -> !s.id().equals(session)).toList());
            Files.deleteIfExists(output(folder, session));
        } finally {
            lock.unlock();
        }
    }

    /** Folders share locks: a change of one takes milliseconds. */
    private ReentrantLock lockOf(Path folder) {
        return locks[Math.floorMod(folder.hashCode(), locks.length)];
    }

    private static void replace(Path folder, List<SessionStatus> statuses) throws IOException {
        Index index = new Index(
                Index.VERSION, statuses.stream().map(SessionDocument::of).toList());
        Files.createDirectories(sessionsFolder(folder));
        Path partial = sessionsFolder(folder).resolve("sessions.json.new");
        Files.write(partial, Documents.JSON.writeValueAsBytes(index));
        Files.move(partial, index(folder), StandardCopyOption.ATOMIC_MOVE);
    }

    private static Path sessionsFolder(Path folder) {
        return folder.resolve("sessions");
    }

    private static Path index(Path folder) {
        return sessionsFolder(folder).resolve("sessions.json");
    }

    private static Path output(Path folder, String session) throws IOException {
        if (!ID.matcher(session).matches()) {
            throw new IOException("a guest calls a session " + session.length() + " characters that are no id");
        }
        return sessionsFolder(folder).resolve(session + ".out");
    }

    private record Index(int version, List<SessionDocument> sessions) {
        static final int VERSION = 1;
    }

    private record SessionDocument(
            String id,
            int pid,
            List<byte[]> argv,
            String user,
            boolean terminal,
            boolean background,
            String label,
            Instant started,
            Optional<Instant> ended,
            int cause,
            int code,
            long oldest,
            long newest,
            boolean evicted,
            long descendantsLeft) {

        static SessionDocument of(SessionStatus s) {
            return new SessionDocument(
                    s.id(),
                    s.pid(),
                    s.argv(),
                    s.user(),
                    s.terminal(),
                    s.background(),
                    s.label(),
                    s.started(),
                    s.ended(),
                    s.cause().map(SessionStatus.Cause::wire).orElse(0),
                    s.code(),
                    s.oldest(),
                    s.newest(),
                    s.evicted(),
                    s.descendantsLeft());
        }

        SessionStatus status() {
            return new SessionStatus(
                    id,
                    pid,
                    argv,
                    user,
                    terminal,
                    background,
                    label,
                    started,
                    ended,
                    cause == 0 ? Optional.empty() : Optional.of(SessionStatus.Cause.of(cause)),
                    code,
                    oldest,
                    newest,
                    evicted,
                    false,
                    0,
                    descendantsLeft);
        }
    }
}
