package dev.cortex.storage;

import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.image.ImageRow;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The persisted form of an image's record. */
record ImageDocument(
        int version,
        Optional<String> manifest,
        String kind,
        String platform,
        ConfigDocument config,
        Map<String, String> labels,
        Optional<Instant> created,
        Instant imported,
        List<String> archives,
        List<LayerDocument> layers) {
    static final int VERSION = 1;

    record ConfigDocument(
            Map<String, String> environment,
            Optional<String> workdir,
            Optional<String> user,
            List<String> entrypoint,
            List<String> command) {}

    record LayerDocument(String chain, String diffId, long bytes) {}

    static ImageDocument of(ImageRow image) {
        Image.Config config = image.config();
        return new ImageDocument(
                VERSION,
                image.manifest(),
                image.kind(),
                image.platform(),
                new ConfigDocument(
                        config.environment(), config.workdir(), config.user(), config.entrypoint(), config.command()),
                image.labels(),
                image.created(),
                image.imported(),
                image.archives(),
                image.layers().stream()
                        .map(layer -> new LayerDocument(layer.chain(), layer.diffId(), layer.bytes()))
                        .toList());
    }

    ImageRow row(String digest) {
        if (version != VERSION) {
            throw new IllegalArgumentException("an image's record of version " + version);
        }
        return new ImageRow(
                digest,
                manifest,
                kind,
                platform,
                new Image.Config(config.environment, config.workdir, config.user, config.entrypoint, config.command),
                labels,
                created,
                imported,
                archives,
                layers.stream()
                        .map(layer -> new ImageRow.Layer(layer.chain, layer.diffId, layer.bytes))
                        .toList());
    }
}
