package dev.cortex.sandbox.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConsolesTest {
    @TempDir
    Path home;

    private Path sandbox(String id) throws Exception {
        return Files.createDirectories(home.resolve("sandboxes").resolve(id));
    }

    private void look() {
        new Consoles(new Folders(home, home.resolve("run"))).look();
    }

    @Test
    void aConsoleThatIsWrittenOnIsCutOffAndItsLastWordsAreKept() throws Exception {
        Path console = sandbox("sb_1").resolve("console.log");
        try (FileChannel process = FileChannel.open(
                console, StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.WRITE)) {
            byte[] line = "what a first process says\n".getBytes();
            for (long written = 0; written <= Consoles.MOST; written += line.length) {
                process.write(ByteBuffer.wrap(line));
            }
            process.write(ByteBuffer.wrap("last words\n".getBytes()));
            look();
            assertThat(console).isEmptyFile();
            // Behind the cut, not behind where it was: no hole of the old size.
            process.write(ByteBuffer.wrap("goes on\n".getBytes()));
        }
        assertThat(console).hasContent("goes on\n");
        Path kept = console.resolveSibling("console.log.1");
        assertThat(kept).hasSize(Consoles.KEPT).content().endsWith("says\nlast words\n");
    }

    @Test
    void whatIsSmallOrNoFileOfOursIsLeftAlone() throws Exception {
        Path small = Files.writeString(sandbox("sb_1").resolve("console.log"), "little\n");
        Path elsewhere = Files.write(home.resolve("elsewhere"), new byte[(int) Consoles.MOST + 1]);
        Files.createSymbolicLink(sandbox("sb_2").resolve("console.log"), elsewhere);
        Files.createDirectory(sandbox("sb_3").resolve("runtime.log"));
        look();
        assertThat(small).hasContent("little\n");
        assertThat(elsewhere).hasSize(Consoles.MOST + 1);
        assertThat(small.resolveSibling("console.log.1")).doesNotExist();
    }

    @Test
    void aHomeWithoutSandboxesIsNoFailure() {
        look();
        assertThat(home.resolve("sandboxes")).doesNotExist();
    }
}
