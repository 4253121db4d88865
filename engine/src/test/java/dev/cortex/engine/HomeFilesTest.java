package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HomeFilesTest {
    @TempDir
    Path folder;

    @Test
    void imagesAreOutOfOtherUsersReachInAHomeThatWasThereBefore() throws IOException {
        Home home = home();
        Files.createDirectories(home.folder().resolve("images"));
        Files.setPosixFilePermissions(home.folder().resolve("images"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Cortex.open(CortexOptions.at(home)).close();
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(home.folder().resolve("images"))))
                .isEqualTo("rwx------");
    }

    @Test
    void aLockThatCouldNotSayWhoHoldsItIsGivenBack() throws IOException {
        Home home = home();
        home.makeFolder();
        Path inTheWay = Files.createDirectory(home.folder().resolve("daemon.pid.new"));
        assertThatThrownBy(() -> HomeLock.take(home)).isInstanceOf(IOException.class);
        Files.delete(inTheWay);
        HomeLock.take(home).close();
    }

    private Home home() {
        return new Home(folder.resolve("home"), folder.resolve("run/h"));
    }
}
