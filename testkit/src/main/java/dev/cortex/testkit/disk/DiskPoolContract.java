package dev.cortex.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.disk.DiskPool;
import dev.cortex.sandbox.disk.PoolState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** What a pool of disks promises, with limits or without. A pool joins by a test class that extends this one. */
public abstract class DiskPoolContract {
    private static final long LIMIT = 16L << 20;

    /** The pool of this test's home; a new object each time, as a restarted daemon would make it. */
    protected abstract DiskPool pool();

    /** The home. */
    protected abstract Path home();

    /** Deletes a disk, as a driver would. */
    protected abstract void wipe(Path disk);

    @Test
    void lookingAtAPoolMakesNothing() throws IOException {
        try (DiskPool pool = pool()) {
            pool.limits();
            pool.state();
            pool.open();
        }
        try (var files = Files.list(home())) {
            assertThat(files.filter(file -> !file.endsWith("disks"))).isEmpty();
        }
    }

    @Test
    void aDiskIsMadeForItsOwnerAloneAndMakingItAgainKeepsIt() throws IOException {
        try (DiskPool pool = pool()) {
            Path disk = made(pool, "a", 0);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(disk)))
                    .isEqualTo("rwx------");
            Files.writeString(disk.resolve("file"), "kept");
            assertThat(made(pool, "a", 0).resolve("file")).hasContent("kept");
        }
    }

    @Test
    void theNextDaemonFindsTheSamePool() throws IOException {
        PoolState before;
        try (DiskPool pool = pool()) {
            Files.writeString(made(pool, "a", 0).resolve("file"), "kept");
            before = pool.state();
            assertThat(before.ready()).isTrue();
        }
        try (DiskPool pool = pool()) {
            pool.open();
            assertThat(home().resolve("disks/a/file")).hasContent("kept");
            assertThat(pool.state().kind()).isEqualTo(before.kind());
            assertThat(pool.limits()).isEqualTo(before.limits());
            assertThat(pool.state().folders()).containsExactly("a");
        }
    }

    @Test
    void aLimitHoldsOrIsRefused() throws IOException {
        try (DiskPool pool = pool()) {
            pool.require();
            Path disk = home().resolve("disks/a");
            if (!pool.limits()) {
                assertThat(pool.state().why()).isPresent();
                assertThatThrownBy(() -> pool.make(disk, LIMIT))
                        .isInstanceOfSatisfying(
                                CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
                return;
            }
            pool.make(disk, LIMIT);
            assertThatThrownBy(() -> Files.write(disk.resolve("bomb"), new byte[2 * (int) LIMIT]))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("quota");
            Path neighbour = made(pool, "b", LIMIT);
            Files.write(neighbour.resolve("file"), new byte[(int) LIMIT / 2]);
            Files.delete(disk.resolve("bomb"));
            Files.write(disk.resolve("after"), new byte[(int) LIMIT / 2]);
        }
    }

    @Test
    void whatADiskTakesIsToldWithoutWalkingItOrNotAtAll() throws IOException {
        try (DiskPool pool = pool()) {
            Files.write(made(pool, "a", pool.limits() ? LIMIT : 0).resolve("file"), new byte[4 << 20]);
            if (!pool.limits()) {
                assertThat(pool.usage()).isEmpty();
                return;
            }
            // Counted when it is written to the disk beneath.
            try (var file = java.nio.channels.FileChannel.open(home().resolve("disks/a/file"))) {
                file.force(true);
            }
            assertThat(pool.usage().get("a")).satisfies(used -> {
                assertThat(used.bytes()).isBetween(4L << 20, LIMIT);
                assertThat(used.limitBytes()).isEqualTo(LIMIT);
            });
        }
    }

    @Test
    void aWipedDiskIsGone() throws IOException {
        try (DiskPool pool = pool()) {
            Path disk = made(pool, "a", 0);
            for (int i = 0; i < 500; i++) {
                Files.createDirectories(disk.resolve("folder" + i).resolve("deeper"));
            }
            wipe(disk);
            wipe(disk);
            assertThat(disk).doesNotExist();
            assertThat(pool.state().folders()).isEmpty();
            assertThat(pool.usage()).isEmpty();
            assertThat(made(pool, "a", 0)).isEmptyDirectory();
        }
    }

    private Path made(DiskPool pool, String name, long limit) {
        pool.require();
        Path disk = home().resolve("disks").resolve(name);
        pool.make(disk, limit);
        return disk;
    }
}
