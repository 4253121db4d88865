package dev.cortex.cli.http;

import dev.cortex.protocol.home.Home;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Whose turn it is to start the daemon of a home. A hundred clients that lose one daemon would otherwise start a hundred,
 * of which the machine would run ninety-nine to find the home taken. The kernel gives the turn back when its holder ends,
 * however it ends.
 */
final class StartTurn implements Closeable {
    private final Optional<FileChannel> channel;

    private StartTurn(Optional<FileChannel> channel) {
        this.channel = channel;
    }

    /** Empty when it is another client's turn. In a home where no turn can be had everybody has one. */
    static Optional<StartTurn> take(Home home) {
        try {
            home.makeFolder();
            FileChannel channel = FileChannel.open(
                    home.folder().resolve("start.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (isLocked(channel)) {
                return Optional.of(new StartTurn(Optional.of(channel)));
            }
            channel.close();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(new StartTurn(Optional.empty()));
        }
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Another thread of this process has it.
            return false;
        }
    }

    @Override
    public void close() {
        try {
            if (channel.isPresent()) {
                channel.get().close();
            }
        } catch (IOException e) {
            // It ends with this process.
        }
    }
}
