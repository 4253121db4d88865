package dev.cortex.sandbox.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps what first processes and runtimes say of sandboxes from filling the home's disk. They append to files that they
 * hold open for as long as they live, so that a file is not put aside but cut off: its last words go into one beside it.
 */
final class Consoles {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");

    /** Nobody reads more of what a neuron says, which says next to nothing. */
    static final long MOST = 1 << 20;

    /** Last words that are kept of what is cut off. */
    static final int KEPT = 64 << 10;

    private static final List<String> FILES = List.of("console.log", "runtime.log");

    private final Folders folders;

    Consoles(Folders folders) {
        this.folders = folders;
    }

    /** Looks at every sandbox's. Never throws: it is done again. */
    void look() {
        try (Stream<Path> sandboxes = Files.list(folders.sandboxes())) {
            sandboxes.forEach(sandbox -> FILES.forEach(name -> look(sandbox.resolve(name))));
        } catch (NoSuchFileException e) {
            // No sandbox was made yet.
            return;
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "consoles could not be looked at", e);
        }
    }

    private static void look(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (now.isRegularFile() && now.size() > MOST) {
                cut(file);
            }
        } catch (NoSuchFileException e) {
            // Not every sandbox has both.
            return;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, file + " could not be cut off", e);
        }
    }

    private static void cut(Path file) throws IOException {
        try (FileChannel all =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer words = ByteBuffer.allocate(KEPT);
            all.read(words, Math.max(0, all.size() - KEPT));
            keep(file, words.flip());
            // Even if there was no room for its last words.
            all.truncate(0);
        }
    }

    private static void keep(Path file, ByteBuffer words) {
        Path aside = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel to = FileChannel.open(
                aside,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS)) {
            while (words.hasRemaining()) {
                to.write(words);
            }
            Files.move(aside, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the last words of " + file + " are lost: " + e.getMessage());
        }
    }
}
