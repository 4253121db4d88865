package dev.cortex.engine.handler;

import dev.cortex.images.ImageLibrary;
import dev.cortex.protocol.api.Prune;
import dev.cortex.protocol.error.CortexException;
import java.util.List;
import java.util.Set;

/** Images without a name that nobody uses, and layers of no image, as they were found or removed. */
record UnneededImages(ImageLibrary library, List<Prune.Image> images, List<Prune.Layer> layers, List<String> unsure) {
    static UnneededImages of(ImageLibrary library) {
        List<Prune.Image> images = library.unused().stream()
                .map(entry ->
                        new Prune.Image(entry.image().digest(), entry.image().bytes()))
                .toList();
        List<Prune.Layer> layers = library.unusedLayers().entrySet().stream()
                .map(layer -> new Prune.Layer(layer.getKey(), layer.getValue()))
                .toList();
        boolean importing = !library.imports().isEmpty();
        return new UnneededImages(
                library,
                images,
                layers,
                importing
                        ? List.of("layers of no image: an import goes on, which may be about to use them")
                        : List.of());
    }

    /**
     * Removes them, as far as nobody needs them still.
     *
     * @param left to which goes what could not be removed, with the reason
     * @return what has gone
     */
    UnneededImages removed(List<String> left) {
        Set<String> gone =
                library.removeUnused(images.stream().map(Prune.Image::digest).toList());
        Set<String> swept = swept(left);
        return new UnneededImages(
                library,
                images.stream().filter(image -> gone.contains(image.digest())).toList(),
                layers.stream().filter(layer -> swept.contains(layer.chain())).toList(),
                unsure);
    }

    private Set<String> swept(List<String> left) {
        try {
            return library.sweep();
        } catch (CortexException e) {
            left.add("layers: " + e.getMessage());
            return Set.of();
        }
    }
}
