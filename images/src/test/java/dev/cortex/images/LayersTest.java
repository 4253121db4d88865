package dev.cortex.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LayersTest {
    @TempDir
    private Path folder;

    @Test
    void anImportThatFailsSaysWhyAlsoWhenItsLayersCannotBeSwept() {
        Layers layers = new Layers(folder, wiped -> {}, unreadable("the store cannot be read"));
        CortexException told = importing(layers);
        assertThat(told).hasMessage("the archive is damaged");
        assertThat(told.getSuppressed()).extracting(Throwable::getMessage).containsExactly("the store cannot be read");
    }

    @Test
    void aStagingFolderThatCannotBeWipedKeepsNoImportFromSayingWhyNorTheNextSweepFromItsWork() throws IOException {
        Layers layers = new Layers(
                folder,
                wiped -> {
                    if (!wiped.getFileName().toString().startsWith(Layers.BEGUN + "gone-")) {
                        throw CortexException.of(ErrorCode.DRIVER_FAILED, "the staging folder stays", "");
                    }
                },
                Set::of);
        assertThat(importing(layers)).hasMessage("the archive is damaged");
        Files.createDirectories(layers.folder().resolve("unnamed"));
        assertThat(layers.sweep()).containsExactly("unnamed");
    }

    private static CortexException importing(Layers layers) {
        return catchThrowableOfType(
                CortexException.class,
                () -> layers.adding(staging -> {
                    throw CortexException.of(ErrorCode.INVALID_ARGUMENT, "the archive is damaged", "get it again");
                }));
    }

    private static Supplier<Set<String>> unreadable(String words) {
        return () -> {
            throw CortexException.of(ErrorCode.INTERNAL, words, "");
        };
    }
}
