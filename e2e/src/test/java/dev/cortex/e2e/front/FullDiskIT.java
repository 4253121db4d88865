package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A home on a file system of the test's own, which is filled to its last block. */
final class FullDiskIT {
    private static final String ENOUGH = "sh -c 'yes line | head -c 300000'";

    @TempDir
    Path folder;

    private final CortexHome cortex = CortexHome.open();

    @BeforeEach
    void mount() throws Exception {
        shell("truncate -s 600M image && mkfs.ext4 -q -F -m 0 image && mkdir disk && mount -o loop image disk");
        cortex.with("CORTEX_HOME", folder.resolve("disk/home").toString());
    }

    @AfterEach
    void unmount() throws Exception {
        try {
            free();
            cortex.close();
        } finally {
            shell("umount -q disk/home/disks || true;"
                    + " for i in $(seq 100); do umount disk 2>/dev/null && exit 0; sleep 0.1; done; umount disk");
        }
    }

    @Test
    void stopAndRemoveWorkOnAFullDiskAndCreateSaysWhatToDo() throws Exception {
        for (String name : new String[] {"a", "b", "c"}) {
            cortex.cortex("create", name).succeeded();
            cortex.shell("cortex exec " + name + " -- " + ENOUGH).succeeded();
        }
        cortex.cortex("rm", "--force", "c").succeeded();
        fill();
        CortexHome.Outcome refused = cortex.cortex("create", "d", "--json");
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.stdout()).contains("DISK_FULL", "cortex usage");
        assertThat(cortex.cortex("ls", "--all").succeeded().stdout()).doesNotContain("\nd ");
        fill();
        cortex.cortex("stop", "a").succeeded();
        assertThat(cortex.cortex("inspect", "a").succeeded().stdout()).contains("stopped, stopped by you");
        assertThat(cortex.cortex("sessions", "a").succeeded().stdout()).contains("exited");
        fill();
        cortex.cortex("rm", "a").succeeded();
        cortex.cortex("rm", "--force", "--wipe", "b").succeeded();
        cortex.cortex("rm", "--wipe", "c").succeeded();
        assertThat(cortex.cortex("ls", "--all").succeeded().stdout())
                .doesNotContain("\nb ")
                .doesNotContain("\nc ");
        free();
        cortex.cortex("create", "e").succeeded();
        cortex.cortex("exec", "e", "--", "true").succeeded();
    }

    @Test
    void aDaemonThatIsKilledOnAFullDiskComesBack() throws Exception {
        cortex.cortex("create", "a").succeeded();
        fill();
        cortex.killDaemon();
        cortex.cortex("stop", "a").succeeded();
        cortex.cortex("rm", "--wipe", "a").succeeded();
    }

    private void fill() throws Exception {
        shell("dd if=/dev/zero of=disk/filler.$RANDOM bs=1M 2>/dev/null || true;"
                + " dd if=/dev/zero of=disk/filler.$RANDOM bs=4k 2>/dev/null || true; sync -f disk");
    }

    private void free() throws Exception {
        shell("rm -f disk/filler.*");
    }

    private void shell(String script) throws IOException, InterruptedException {
        Path words = Files.createTempFile(folder, "words", "");
        int status = new ProcessBuilder("bash", "-ec", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(words.toFile())
                .start()
                .waitFor();
        assertThat(status).as(script + ": " + Files.readString(words)).isZero();
    }
}
