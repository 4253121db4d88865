package dev.cortex.daemon.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file that lines are appended to, and that is put aside once it is full or of yesterday: {@code .1} is the newest of
 * those. What goes wrong costs lines and nothing else: each line tries anew, and the first that is written again stands
 * behind the count of those that were lost. Thread-safe.
 */
final class LogFile implements AutoCloseable {
    /** Files of earlier settings are looked for as far as this. */
    private static final int NUMBERS = 100;

    private static final Set<OpenOption> APPENDING =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);

    /** As whoever starts a daemon makes the first one. */
    private static final FileAttribute<Set<PosixFilePermission>> OWNERS_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path path;
    private final LogLimits limits;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<FileChannel> channel = Optional.empty();
    private LocalDate day;
    private long lost;
    private boolean torn;
    private boolean closed;

    LogFile(Path path, LogLimits limits, Clock clock) throws IOException {
        this.path = path;
        this.limits = limits;
        this.clock = clock;
        this.day = lastWritten();
        open();
        forgetOld();
    }

    /** Of a file that is new: today. */
    private LocalDate lastWritten() throws IOException {
        try {
            BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
            return file.size() == 0 ? today() : day(file.lastModifiedTime().toInstant());
        } catch (NoSuchFileException e) {
            return today();
        }
    }

    private LocalDate today() {
        return day(clock.instant());
    }

    private static LocalDate day(Instant instant) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC);
    }

    private FileChannel open() throws IOException {
        FileChannel opened = FileChannel.open(path, APPENDING, OWNERS_ALONE);
        channel = Optional.of(opened);
        return opened;
    }

    /**
     * @param line with its end
     * @throws IOException the line is lost; the next is tried all the same
     */
    void append(String line) throws IOException {
        lock.lock();
        try {
            write(line);
        } catch (IOException e) {
            lost++;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private void write(String line) throws IOException {
        if (closed) {
            throw new IOException("the log is closed");
        }
        FileChannel to = channel.isPresent() ? channel.get() : open();
        // What begins a line that was cut off ends it, so that only that one cannot be read.
        String text = (torn ? "\n" : "") + (lost > 0 ? lostLine() : "") + line;
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        long size = to.size();
        LocalDate now = today();
        if (size > 0 && (size + bytes.remaining() > limits.fileBytes() || !now.equals(day))) {
            to = rotate(to);
        }
        day = now;
        int whole = bytes.remaining();
        try {
            // One write a line: what the launcher's own redirection appends does not fall into the middle.
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        } catch (IOException e) {
            torn |= bytes.remaining() < whole;
            throw e;
        }
        torn = false;
        lost = 0;
    }

    private String lostLine() {
        return new JsonLines()
                .add("time", clock.instant())
                .add("level", "error")
                .add("logger", DaemonLog.class.getName())
                .add("message", "lines before this one could not be written")
                .add("lost", lost)
                .end();
    }

    /** The one in use stays in use where it cannot be put aside. */
    private FileChannel rotate(FileChannel full) throws IOException {
        for (int number = limits.files() - 1; number >= 1; number--) {
            if (Files.exists(numbered(number))) {
                Files.move(numbered(number), numbered(number + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        if (limits.files() == 0) {
            full.truncate(0);
            return full;
        }
        Files.move(path, numbered(1), StandardCopyOption.REPLACE_EXISTING);
        channel = Optional.empty();
        torn = false;
        full.close();
        FileChannel next = open();
        forgetOld();
        return next;
    }

    /** Those that are too old, and those of a time when more were kept. */
    private void forgetOld() throws IOException {
        Instant oldest = clock.instant().minus(limits.age());
        for (int number = 1; number <= NUMBERS; number++) {
            Path file = numbered(number);
            if (Files.exists(file)
                    && (number > limits.files()
                            || Files.getLastModifiedTime(file).toInstant().isBefore(oldest))) {
                Files.delete(file);
            }
        }
    }

    private Path numbered(int number) {
        return path.resolveSibling(path.getFileName() + "." + number);
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            closed = true;
            if (channel.isPresent()) {
                channel.get().close();
            }
        } finally {
            lock.unlock();
        }
    }
}
