package dev.cortex.cli.copy;

import dev.cortex.cli.host.RandomBytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** A file on its way: beside its place under another name until all of it is there, gone when it never is. */
final class NewFile implements AutoCloseable {
    private static final PosixFilePermission[] BY_BIT = {
        PosixFilePermission.OTHERS_EXECUTE, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_READ,
        PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_READ,
        PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_READ
    };

    private final Path place;
    private final Path path;
    private final int mode;
    private final FileChannel channel;
    private boolean moved;

    private NewFile(Path place, Path path, int mode, FileChannel channel) {
        this.place = place;
        this.path = path;
        this.mode = mode;
        this.channel = channel;
    }

    static NewFile beside(Path given, int mode) throws IOException {
        // What a link points to is replaced, not the link.
        Path place = Files.exists(given) ? given.toRealPath() : given.toAbsolutePath();
        Path path = place.resolveSibling(".cortex-" + RandomBytes.digits(12));
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        return new NewFile(place, path, mode, channel);
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
    }

    void moveIntoPlace() throws IOException {
        channel.close();
        Files.setPosixFilePermissions(path, permissions(mode));
        Files.move(path, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        moved = true;
    }

    static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < BY_BIT.length; bit++) {
            if ((mode & (1 << bit)) != 0) {
                permissions.add(BY_BIT[bit]);
            }
        }
        return permissions;
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (!moved) {
            Files.deleteIfExists(path);
        }
    }
}
