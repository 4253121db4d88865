package dev.cortex.drivers.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.disk.PoolState;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class PoolGrowthIT {
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    @Test
    void aPoolGrowsWhileItsDisksAreWrittenAndStaysWhatItIs() throws IOException {
        try (PoolHome home = new PoolHome(PoolChoice.BTRFS);
                HostPool pool = home.pool()) {
            pool.require();
            Path disk = home.folder.resolve("disks/a");
            pool.make(disk, 0);
            long before = pool.state().totalBytes();
            try (OutputStream out = Files.newOutputStream(disk.resolve("file"))) {
                byte[] piece = new byte[1 << 20];
                for (int i = 0; i < 120; i++) {
                    out.write(piece);
                }
            }
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            PoolState now = pool.state();
            while (now.totalBytes() <= before && System.nanoTime() < deadline) {
                LockSupport.parkNanos(20_000_000);
                now = pool.state();
            }
            assertThat(now.totalBytes()).isGreaterThan(before);
            assertThat(home.devices()).hasSize(1);
            assertThat(disk.resolve("file")).hasSize(120L << 20);
        }
    }

    @Test
    void unmountingLeavesNothingAndTheNextMountsItAgain() throws IOException {
        try (PoolHome home = new PoolHome(PoolChoice.BTRFS)) {
            try (HostPool pool = home.pool()) {
                pool.require();
                pool.make(home.folder.resolve("disks/a"), 0);
                pool.unmount();
            }
            assertThat(home.folder.resolve("disks")).isEmptyDirectory();
            assertThat(home.devices()).isEmpty();
            try (HostPool pool = home.pool()) {
                pool.open();
                assertThat(home.folder.resolve("disks/a")).isDirectory();
            }
        }
    }
}
