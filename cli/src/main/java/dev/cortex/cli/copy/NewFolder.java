package dev.cortex.cli.copy;

import dev.cortex.cli.host.RandomBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder on its way: beside its place under another name until all of it is there, gone when it never is. */
final class NewFolder implements AutoCloseable {
    private final Path place;
    private final Path path;
    private boolean moved;

    private NewFolder(Path place, Path path) {
        this.place = place;
        this.path = path;
    }

    static NewFolder beside(Path given) throws IOException {
        Path place = given.toAbsolutePath().normalize();
        Path path = place.resolveSibling(".cortex-" + RandomBytes.digits(12));
        Files.createDirectory(path);
        return new NewFolder(place, path);
    }

    Path path() {
        return path;
    }

    void moveIntoPlace() throws IOException {
        Files.move(path, place);
        moved = true;
    }

    @Override
    public void close() throws IOException {
        if (!moved) {
            Undo.delete(path);
        }
    }
}
