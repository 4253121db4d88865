package dev.cortex.cli.copy;

import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.RandomBytes;
import dev.cortex.cli.host.RawNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder on its way: beside its place under another name until all of it is there, gone when it never is. */
final class NewFolder implements AutoCloseable {
    private final Path folder;
    private final Word name;
    private final Path path;
    private boolean moved;

    private NewFolder(Path folder, Word name, Path path) {
        this.folder = folder;
        this.name = name;
        this.path = path;
    }

    /** In that folder, to get that name, which nothing has yet. */
    static NewFolder in(Path folder, Word name) throws IOException {
        Path path = folder.toAbsolutePath().resolve(".cortex-" + RandomBytes.digits(12));
        Files.createDirectory(path);
        return new NewFolder(folder.toAbsolutePath(), name, path);
    }

    Path path() {
        return path;
    }

    void moveIntoPlace() throws IOException {
        if (HostText.isNameable(name)) {
            Files.move(path, folder.resolve(HostText.path(name)));
        } else {
            RawNames.move(path, folder, name);
        }
        moved = true;
    }

    @Override
    public void close() throws IOException {
        if (!moved) {
            Undo.delete(path);
        }
    }
}
