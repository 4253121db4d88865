package dev.cortex.images;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads images of strangers and unpacks their layers with the owners that they name, which takes rights that a JVM need
 * not have. Implemented by the launcher, wired by the engine.
 */
public interface ImageImporter {
    /**
     * @param source a file or folder of this machine
     * @param layers the folder of all layers; each that is committed there is whole
     * @param staging an empty folder for what is not whole yet; the caller wipes it
     * @param select the name or digest of one image, where the source has several
     * @param config of a plain root file system: the object {@code config} of an OCI configuration, as JSON
     */
    record Request(Path source, Path layers, Path staging, Optional<String> select, Optional<String> config) {}

    /**
     * What was taken.
     *
     * @param digest of the configuration
     * @param names as the source has them
     * @param config the whole OCI configuration, as JSON
     * @param layers the lowest first
     */
    record Taken(
            String kind,
            String digest,
            Optional<String> manifest,
            List<String> names,
            String config,
            List<Layer> layers) {
        public Taken {
            names = List.copyOf(names);
            layers = List.copyOf(layers);
        }
    }

    record Layer(String chain, String diffId, long bytes) {}

    /** How far it is, in bytes of the source. */
    record Progress(String doing, long done, long total) {}

    /**
     * @throws dev.cortex.protocol.error.CortexException INVALID_ARGUMENT saying what is wrong with the image, DISK_FULL,
     *     CANCELLED when the thread is interrupted
     */
    Taken take(Request request, Consumer<Progress> progress);

    /** Deletes what was unpacked, whoever owns it; a missing folder is no error. */
    void wipe(Path folder);
}
