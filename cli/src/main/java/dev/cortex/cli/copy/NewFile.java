package dev.cortex.cli.copy;

import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.RandomBytes;
import dev.cortex.cli.host.RawNames;
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

    private final Path folder;
    private final Word name;
    private final Path path;
    private final int mode;
    private final FileChannel channel;
    private boolean moved;

    private NewFile(Path folder, Word name, Path path, int mode, FileChannel channel) {
        this.folder = folder;
        this.name = name;
        this.path = path;
        this.mode = mode;
        this.channel = channel;
    }

    /** In that folder, to get that name. What a link of that name points to is replaced, not the link. */
    static NewFile in(Path folder, Word name, int mode) throws IOException {
        if (HostText.isNameable(name)) {
            Path place = folder.resolve(HostText.path(name));
            if (Files.isSymbolicLink(place) && Files.exists(place)) {
                Path real = place.toRealPath();
                return make(parent(real), HostText.word(String.valueOf(real.getFileName())), mode);
            }
        }
        return make(folder, name, mode);
    }

    private static Path parent(Path real) {
        Path parent = real.getParent();
        return parent == null ? real : parent;
    }

    private static NewFile make(Path folder, Word name, int mode) throws IOException {
        Path path = folder.toAbsolutePath().resolve(".cortex-" + RandomBytes.digits(12));
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        return new NewFile(folder.toAbsolutePath(), name, path, mode, channel);
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
        if (HostText.isNameable(name)) {
            Path place = folder.resolve(HostText.path(name));
            Files.move(path, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } else {
            RawNames.move(path, folder, name);
        }
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
