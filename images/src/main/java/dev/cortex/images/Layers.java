package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.ImageRow;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The folders of layers. Layers that no record names are deleted only while no import goes on: one that does may just
 * have decided to use them. Thread-safe.
 */
final class Layers {
    /** What a folder that is not whole, or is about to go, is called. */
    static final String BEGUN = ".begun-";

    private static final String COMPLETE = "complete";
    private static final String ROOT = "root";

    private final Path top;
    private final Path folder;
    private final Consumer<Path> wiper;
    private final Supplier<Set<String>> named;
    private int adding;

    /**
     * @param wiper deletes a folder, whoever owns what is in it
     * @param named the chains of all layers that an image has
     */
    Layers(Path top, Consumer<Path> wiper, Supplier<Set<String>> named) {
        this.top = top;
        this.folder = top.resolve("layers");
        this.wiper = wiper;
        this.named = named;
    }

    Path top() {
        return top;
    }

    Path folder() {
        return folder;
    }

    /** The folders of an image, the topmost first. */
    List<Path> folders(ImageRow image) {
        return image.layers().reversed().stream()
                .map(layer -> folder.resolve(layer.chain()).resolve(ROOT))
                .toList();
    }

    boolean have(ImageRow image) {
        return image.layers().stream()
                .allMatch(layer ->
                        Files.isRegularFile(folder.resolve(layer.chain()).resolve(COMPLETE)));
    }

    /** Runs work that adds layers; what it leaves in its staging folder goes, and where it fails its layers go too. */
    <T> T adding(Function<Path, T> work) {
        begin();
        Path staging = stage();
        T result;
        try {
            result = work.apply(staging);
        } catch (RuntimeException | Error failure) {
            try {
                tidy(staging, true);
            } catch (RuntimeException untidy) {
                // Why the work failed is what its caller can do something about.
                failure.addSuppressed(untidy);
            }
            throw failure;
        }
        tidy(staging, false);
        return result;
    }

    private void tidy(Path staging, boolean failed) {
        // An interrupt would break the very calls that clean up.
        boolean interrupted = Thread.interrupted();
        try {
            wiper.accept(staging);
        } finally {
            end(failed);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void begin() {
        adding++;
    }

    private void end(boolean failed) {
        synchronized (this) {
            adding--;
        }
        if (failed) {
            sweep();
        }
    }

    private Path stage() {
        try {
            Files.createDirectories(folder);
            return Files.createTempDirectory(top, BEGUN);
        } catch (IOException e) {
            end(false);
            throw failed("a folder for the image could not be made in " + top, e);
        }
    }

    /** Bytes of each layer that no image has; nothing while something is being added, which may be about to have them. */
    synchronized Map<String, Long> unused() {
        Map<String, Long> unused = new TreeMap<>();
        if (adding > 0) {
            return unused;
        }
        Set<String> used = named.get();
        for (Path layer : all()) {
            String chain = layer.getFileName().toString();
            if (!used.contains(chain)) {
                unused.put(chain, bytes(layer));
            }
        }
        return unused;
    }

    /** The layer's own record tells; measuring would read every folder. */
    private static long bytes(Path layer) {
        try {
            return JsonMapper.shared()
                    .readTree(Files.readAllBytes(layer.resolve(COMPLETE)))
                    .path("bytes")
                    .asLong(0);
        } catch (IOException | JacksonException e) {
            return 0;
        }
    }

    /**
     * Deletes layers that no image has, unless something is being added.
     *
     * @return the chains of those that went
     */
    Set<String> sweep() {
        Map<String, Path> gone = new TreeMap<>();
        synchronized (this) {
            if (adding > 0) {
                return Set.of();
            }
            Set<String> used = named.get();
            for (Path layer : all()) {
                String chain = layer.getFileName().toString();
                if (!used.contains(chain)) {
                    gone.put(chain, setAside(layer));
                }
            }
        }
        gone.values().forEach(wiper);
        return gone.keySet();
    }

    /** A rename is at once; until the folder is deleted nobody can take it for a layer. */
    private Path setAside(Path layer) {
        Path aside = top.resolve(BEGUN + "gone-" + layer.getFileName());
        try {
            return Files.move(layer, aside);
        } catch (IOException e) {
            throw failed("a layer could not be removed: " + layer, e);
        }
    }

    private List<Path> all() {
        return entries(folder, "*");
    }

    /** Found now, before anything new is begun; deleted meanwhile. */
    void wipeUnfinished() {
        List<Path> unfinished = entries(top, BEGUN + "*");
        if (!unfinished.isEmpty()) {
            Thread.ofVirtual().name("unfinished images").start(() -> unfinished.forEach(wiper));
        }
    }

    private static List<Path> entries(Path of, String glob) {
        List<Path> all = new ArrayList<>();
        if (!Files.isDirectory(of)) {
            return all;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(of, glob)) {
            entries.forEach(all::add);
            return all;
        } catch (IOException e) {
            throw failed("the folder of images cannot be read: " + of, e);
        }
    }

    private static CortexException failed(String message, IOException cause) {
        return CortexException.of(
                        ErrorCode.DRIVER_FAILED, message, "look at the owner and the free space of that folder")
                .because(cause);
    }
}
