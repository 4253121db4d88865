package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Disks with limits, as a user meets them: a btrfs in an image of the home. */
final class PoolIT {
    private final CortexHome cortex = CortexHome.open().with("CORTEX_DISK_POOL", "btrfs");

    @AfterEach
    void leaveNothing() throws Exception {
        Path home = cortex.home();
        cortex.close();
        try (Stream<Path> devices = Files.list(Path.of("/sys/block"))) {
            List<Path> left = devices.map(device -> device.resolve("loop/backing_file"))
                    .filter(Files::exists)
                    .filter(file -> holds(file, home))
                    .toList();
            assertThat(left).as("loop devices of the home").isEmpty();
        }
    }

    private static boolean holds(Path file, Path home) {
        try {
            return Files.readString(file).startsWith(home + "/");
        } catch (java.io.IOException e) {
            return false;
        }
    }

    @Test
    void aWriterAtTheLimitIsToldSoAndItsNeighbourIsNot() throws Exception {
        cortex.cortex("create", "a", "--disk", "32M").succeeded();
        cortex.cortex("create", "b").succeeded();
        CortexHome.Outcome bomb =
                cortex.cortex("exec", "a", "--", "dd", "if=/dev/zero", "of=bomb", "bs=1M", "count=64", "status=none");
        assertThat(bomb.status()).isEqualTo(1);
        assertThat(bomb.stderr()).contains("Disk quota exceeded");
        CortexHome.Outcome copy = cortex.cortex(new byte[8 << 20], "cp", "-", "a:copy", "--json");
        assertThat(copy.status()).isEqualTo(1);
        assertThat(copy.stdout()).contains("DISK_FULL", "the limit of a's disk is 32 MiB", "cortex usage");
        cortex.cortex(new byte[8 << 20], "cp", "-", "b:copy").succeeded();
        assertThat(cortex.cortex("ls").succeeded().stdout()).containsPattern("a .* 32M / 32M");
        cortex.cortex("exec", "a", "--", "rm", "bomb").succeeded();
        cortex.cortex(new byte[8 << 20], "cp", "-", "a:copy").succeeded();
    }

    @Test
    void aSandboxThatRanFullIsStartedAgainAndCanMakeRoomForItself() throws Exception {
        cortex.cortex("create", "a", "--disk", "32M").succeeded();
        cortex.cortex("exec", "a", "--", "dd", "if=/dev/zero", "of=bomb", "bs=1M", "count=64", "status=none");
        cortex.cortex("stop", "a").succeeded();
        cortex.cortex("start", "a").succeeded();
        CortexHome.Outcome more =
                cortex.cortex("exec", "a", "--", "dd", "if=/dev/zero", "of=more", "bs=1M", "count=8", "status=none");
        assertThat(more.stderr()).as("the limit after the start").contains("Disk quota exceeded");
        cortex.cortex("exec", "a", "--", "rm", "bomb").succeeded();
        cortex.cortex(new byte[8 << 20], "cp", "-", "a:copy").succeeded();
    }

    @Test
    void inodesCountToo() throws Exception {
        cortex.cortex("create", "a", "--disk", "16M").succeeded();
        CortexHome.Outcome bomb = cortex.cortex(
                "exec",
                "a",
                "--timeout",
                "100s",
                "--",
                "python3",
                "-c",
                "import os\nos.mkdir('d')\nfor i in range(200000): open('d/%d' % i, 'w').close()");
        assertThat(bomb.status()).isEqualTo(1);
        assertThat(bomb.stderr()).contains("Disk quota exceeded");
        cortex.cortex("exec", "a", "--", "rm", "-rf", "d").succeeded();
        cortex.cortex("exec", "a", "--", "sh", "-c", "echo usable > f").succeeded();
    }

    @Test
    void aKeptDiskKeepsItsFilesAndItsLimitUntilItIsWiped() throws Exception {
        cortex.cortex("create", "a", "--disk", "64M").succeeded();
        cortex.cortex("exec", "a", "--", "sh", "-c", "echo kept > f").succeeded();
        cortex.cortex("rm", "--force", "a").succeeded();
        assertThat(cortex.cortex("ls", "--all").succeeded().stdout()).contains("its disk is kept");
        assertThat(cortex.cortex("usage").succeeded().stdout()).contains("a     removed");
        cortex.cortex("create", "a").succeeded();
        assertThat(cortex.cortex("exec", "a", "--", "cat", "f").succeeded().stdout())
                .isEqualTo("kept\n");
        assertThat(cortex.cortex("inspect", "a").succeeded().stdout()).contains("64M disk");
        cortex.cortex("rm", "--force", "a").succeeded();
        cortex.cortex("create", "a", "--disk", "128M").succeeded();
        assertThat(cortex.cortex("inspect", "a").succeeded().stdout()).contains("128M disk");
        cortex.cortex("rm", "--force", "--wipe", "a").succeeded();
        assertThat(cortex.home().resolve("disks")).isEmptyDirectory();
    }

    @Test
    void aKilledDaemonAndAnUnmountedPoolAreFoundAgain() throws Exception {
        cortex.cortex("create", "a").succeeded();
        cortex.cortex("exec", "a", "--", "sh", "-c", "echo kept > f").succeeded();
        cortex.killDaemon();
        assertThat(cortex.cortex("exec", "a", "--", "cat", "f").succeeded().stdout())
                .isEqualTo("kept\n");
        cortex.cortex("stop", "a").succeeded();
        cortex.killDaemon();
        // As after a reboot.
        cortex.shell("umount '" + cortex.home().resolve("disks") + "'").succeeded();
        cortex.cortex("start", "a").succeeded();
        assertThat(cortex.cortex("exec", "a", "--", "cat", "f").succeeded().stdout())
                .isEqualTo("kept\n");
    }

    @Test
    void aPoolThatSomebodyUnmountedIsMountedBeforeADiskIsWipedOrMade() throws Exception {
        cortex.cortex("create", "a").succeeded();
        cortex.cortex("stop", "a").succeeded();
        cortex.shell("umount '" + cortex.home().resolve("disks") + "'").succeeded();
        cortex.cortex("rm", "--wipe", "a").succeeded();
        cortex.shell("umount '" + cortex.home().resolve("disks") + "'").succeeded();
        cortex.cortex("create", "b").succeeded();
        cortex.shell("umount '" + cortex.home().resolve("disks") + "'").succeeded();
        assertThat(cortex.home().resolve("disks")).isEmptyDirectory();
    }

    @Test
    void withPlainFoldersALimitIsRefusedAndDoctorSaysWhy() throws Exception {
        cortex.with("CORTEX_DISK_POOL", "folder");
        CortexHome.Outcome refused = cortex.cortex("create", "a", "--disk", "64M", "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stdout()).contains("UNSUPPORTED", "DISK_LIMIT");
        cortex.cortex("create", "a").succeeded();
        assertThat(cortex.cortex("inspect", "a").succeeded().stdout()).contains("any disk");
        assertThat(cortex.cortex("doctor").stdout()).contains("plain folders", "no limits");
        assertThat(cortex.cortex("usage").succeeded().stdout()).contains("plain folders", "no limits");
    }

    @Test
    void usageSaysWhatWasPromised() throws Exception {
        cortex.cortex("create", "a", "--disk", "64M", "--memory", "256M").succeeded();
        String usage = cortex.cortex("usage", "--json").succeeded().stdout();
        assertThat(usage)
                .contains(
                        "\"kind\":\"image\"", "\"limits\":true", "\"memory_bytes\":268435456", "\"unknown_disks\":[]");
        assertThat(cortex.cortex("doctor").stdout()).contains("0.3 GiB", "0.1 GiB", "limits hold");
    }
}
