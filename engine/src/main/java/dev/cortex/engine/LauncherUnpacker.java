package dev.cortex.engine;

import dev.cortex.drivers.launch.Launcher;
import dev.cortex.images.ArchiveUnpacker;
import dev.cortex.protocol.home.Home;
import java.nio.file.Path;

/** Unpacks images by the launcher, with the caller's subordinate ids where the caller is an ordinary user. */
record LauncherUnpacker(Launcher launcher) implements ArchiveUnpacker {
    @Override
    public String unpack(Path archive, Path target) {
        return launcher.extract(archive, target, rootless());
    }

    @Override
    public void wipe(Path folder) {
        launcher.wipe(folder, rootless());
    }

    private static boolean rootless() {
        return Home.uid() != 0;
    }
}
