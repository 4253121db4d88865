package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OomKillsTest {
    @TempDir
    private Path root;

    @Test
    void readsTheCounterOfTheFirstVersion() throws IOException {
        write("memory/c/sb", "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
        assertThat(new OomKills(root).in("c/sb")).contains("the kernel killed 2 of its processes at the memory limit");
    }

    @Test
    void readsTheCounterOfTheSecondVersion() throws IOException {
        write("c/sb", "memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 0\n");
        assertThat(new OomKills(root).in("c/sb")).isPresent();
    }

    @Test
    void nothingKilledOrNothingToReadIsNoCause() throws IOException {
        assertThat(new OomKills(root).in("c/sb")).isEmpty();
        write("c/sb", "memory.events", "oom_kill 0\n");
        assertThat(new OomKills(root).in("c/sb")).isEmpty();
        write("c/sb", "memory.events", "oom_kill many\n");
        assertThat(new OomKills(root).in("c/sb")).isEmpty();
    }

    private void write(String group, String file, String text) throws IOException {
        Files.createDirectories(root.resolve(group));
        Files.writeString(root.resolve(group).resolve(file), text);
    }
}
