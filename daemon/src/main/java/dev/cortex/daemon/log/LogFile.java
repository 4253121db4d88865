package dev.cortex.daemon.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/** A file that lines are appended to, and that is put aside once it is full. Thread-safe. */
final class LogFile implements AutoCloseable {
    private final Path path;
    private final long most;
    private final int kept;
    private final ReentrantLock lock = new ReentrantLock();
    private FileChannel channel;

    /**
     * @param most bytes of one file
     * @param kept files besides the one in use, {@code .1} the newest
     */
    LogFile(Path path, long most, int kept) throws IOException {
        this.path = path;
        this.most = most;
        this.kept = kept;
        this.channel = open();
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    void append(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        lock.lock();
        try {
            if (channel.size() + bytes.remaining() > most && channel.size() > 0) {
                rotate();
            }
            // One write a line: what the launcher's own redirection appends does not fall into the middle.
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } finally {
            lock.unlock();
        }
    }

    private void rotate() throws IOException {
        channel.close();
        for (int number = kept - 1; number >= 1; number--) {
            if (Files.exists(numbered(number))) {
                Files.move(numbered(number), numbered(number + 1), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        Files.move(path, numbered(1), StandardCopyOption.REPLACE_EXISTING);
        channel = open();
    }

    private Path numbered(int number) {
        return path.resolveSibling(path.getFileName() + "." + number);
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            channel.close();
        } finally {
            lock.unlock();
        }
    }
}
