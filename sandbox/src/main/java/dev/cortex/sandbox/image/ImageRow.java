package dev.cortex.sandbox.image;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The record of an image whose layers lie in the home.
 *
 * @param digest {@code sha256:…} of its configuration, which names the content of every layer
 * @param manifest the digest by which a registry knows it; absent where it came without a manifest
 * @param kind what it came as: {@code oci}, {@code docker} or {@code root}
 * @param platform such as {@code linux/amd64}
 * @param created when its builder says that it was made
 * @param archives SHA-256, lower-case hex, of archives that are known to hold it
 * @param layers the lowest first
 */
public record ImageRow(
        String digest,
        Optional<String> manifest,
        String kind,
        String platform,
        Image.Config config,
        Map<String, String> labels,
        Optional<Instant> created,
        Instant imported,
        List<String> archives,
        List<Layer> layers) {

    public ImageRow {
        labels = Map.copyOf(labels);
        archives = List.copyOf(archives);
        layers = List.copyOf(layers);
    }

    /**
     * @param chain 64 hex digits that stand for the layer and all beneath it; its folder's name
     * @param diffId {@code sha256:…} of its tar
     * @param bytes of its files
     */
    public record Layer(String chain, String diffId, long bytes) {}

    /** Bytes of all its files, those of layers that it shares with others included. */
    public long bytes() {
        return layers.stream().mapToLong(Layer::bytes).sum();
    }
}
