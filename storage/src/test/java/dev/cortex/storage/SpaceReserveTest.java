package dev.cortex.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpaceReserveTest {
    @TempDir
    Path folder;

    @Test
    void itIsSetAsideGivenUpOnceAndMadeAgain() {
        Path file = folder.resolve("reserve");
        SpaceReserve reserve = new SpaceReserve(file);
        assertThat(reserve.release()).isFalse();
        reserve.refill();
        assertThat(file).hasSize(SpaceReserve.BYTES);
        assertThat(reserve.release()).isTrue();
        assertThat(reserve.release()).isFalse();
        assertThat(file).doesNotExist();
        reserve.refill();
        assertThat(file).hasSize(SpaceReserve.BYTES);
    }

    @Test
    void whereThereIsNoFolderNothingHappens() {
        SpaceReserve reserve = new SpaceReserve(Path.of("/nonexistent/reserve"));
        reserve.refill();
        assertThat(reserve.release()).isFalse();
    }
}
