package dev.cortex.engine;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One process owns a home. The lock is on a file that nothing else opens: Linux drops a process's lock with the first
 * descriptor of that file that the process closes, so reading the pid file must not touch it.
 */
final class HomeLock implements AutoCloseable {
    /**
     * For the same reason a second opening in this process must be refused before it touches the file. This is a fact of
     * the process, hence static.
     */
    private static final Set<Path> OPEN_HERE = ConcurrentHashMap.newKeySet();

    private final Path real;
    private final Path pidFile;
    private final FileChannel channel;

    private HomeLock(Path real, Path pidFile, FileChannel channel) {
        this.real = real;
        this.pidFile = pidFile;
        this.channel = channel;
    }

    /** @throws CortexException OWNED_ELSEWHERE naming the owner's pid */
    static HomeLock take(Home home) throws IOException {
        Path real = home.folder().toRealPath();
        if (!OPEN_HERE.add(real)) {
            throw ownedElsewhere(home, "this process");
        }
        try {
            return new HomeLock(real, home.pidFile(), locked(home, real.resolve("lock")));
        } catch (IOException | RuntimeException e) {
            OPEN_HERE.remove(real);
            throw e;
        }
    }

    private static FileChannel locked(Home home, Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw ownedElsewhere(home, owner(home.pidFile()));
            }
            writePid(home.pidFile());
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(pidFile);
            channel.close();
        } catch (IOException e) {
            System.getLogger(HomeLock.class.getName()).log(System.Logger.Level.WARNING, "closing the home's lock", e);
        } finally {
            OPEN_HERE.remove(real);
        }
    }

    private static void writePid(Path file) throws IOException {
        Path partial = file.resolveSibling("daemon.pid.new");
        Files.writeString(partial, ProcessHandle.current().pid() + "\n");
        Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String owner(Path pidFile) {
        try {
            return "process " + Files.readString(pidFile).strip();
        } catch (IOException e) {
            return "another process";
        }
    }

    private static CortexException ownedElsewhere(Home home, String owner) {
        return CortexException.of(
                ErrorCode.OWNED_ELSEWHERE,
                "the home " + home.folder() + " is owned by " + owner,
                "use that one (cortex ls), end it (cortex serve --stop), or set CORTEX_HOME to another folder");
    }
}
