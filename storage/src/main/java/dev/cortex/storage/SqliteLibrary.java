package dev.cortex.storage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Unpacks SQLite's native library once into the home. The driver would otherwise unpack it to /tmp in every process,
 * which costs 54 of its 97 ms (STACK.md's measurement) and leaves files behind after kill -9.
 */
final class SqliteLibrary {
    private static final String FOLDER_PROPERTY = "org.sqlite.lib.path";

    private SqliteLibrary() {}

    /** Does nothing when this process has a library already. */
    static synchronized void unpackInto(Path home) throws IOException {
        if (System.getProperty(FOLDER_PROPERTY) != null) {
            return;
        }
        String name = LibraryLoaderUtil.getNativeLibName();
        Path library = home.resolve("lib")
                .resolve("sqlite-" + SQLiteJDBCLoader.getVersion())
                .resolve(name);
        if (!Files.isRegularFile(library)) {
            unpack(LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name, library);
        }
        System.setProperty(FOLDER_PROPERTY, folderOf(library).toString());
    }

    private static void unpack(String resource, Path library) throws IOException {
        try (InputStream packed = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
            if (packed == null) {
                throw new IOException("sqlite-jdbc has no native library for this machine: " + resource);
            }
            Files.createDirectories(folderOf(library));
            Path partial = Files.createTempFile(folderOf(library), "unpacking", ".so");
            Files.copy(packed, partial, StandardCopyOption.REPLACE_EXISTING);
            Files.move(partial, library, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static Path folderOf(Path file) {
        Path folder = file.getParent();
        return folder == null ? file : folder;
    }
}
