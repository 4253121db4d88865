package dev.cortex.drivers.disk;

import dev.cortex.sandbox.disk.DiskPool;
import dev.cortex.testkit.disk.DiskPoolContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

final class BtrfsPoolIT extends DiskPoolContract {
    private final PoolHome home = new PoolHome(PoolChoice.BTRFS);

    @AfterEach
    void leaveNothing() {
        home.close();
    }

    @Override
    protected DiskPool pool() {
        return home.pool();
    }

    @Override
    protected Path home() {
        return home.folder;
    }

    @Override
    protected void wipe(Path disk) {
        home.launcher.wipe(disk, false);
    }
}
