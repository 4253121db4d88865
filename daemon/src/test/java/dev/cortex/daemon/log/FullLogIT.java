package dev.cortex.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log on a file system that is really full. Needs root, for a small file system of its own. */
final class FullLogIT {
    private static final int LINES = 2_000;

    @TempDir
    Path folder;

    private static void run(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS))
                .as("the end of %s", List.of(words))
                .isTrue();
        assertThat(process.exitValue()).as("%s", List.of(words)).isZero();
    }

    @BeforeEach
    void mount() throws Exception {
        run("mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "cortex-full-log", folder.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", folder.toString());
    }

    @Test
    void aFullDiskCostsLinesAndOneTornOneAndTheLogGoesOnWhenThereIsRoom() throws Exception {
        Path ballast = Files.write(folder.resolve("ballast"), new byte[24 << 10]);
        Path path = folder.resolve("daemon.log");
        long lost = 0;
        try (LogFile file = new LogFile(path, new LogLimits(1 << 20, 2, Duration.ofDays(1)), Clock.systemUTC())) {
            for (int i = 0; i < LINES; i++) {
                try {
                    file.append("{\"message\":\"line " + i + " of a daemon that goes on\"}\n");
                } catch (IOException e) {
                    lost++;
                }
            }
            assertThat(lost).as("lines that found no room").isPositive();
            Files.delete(ballast);
            file.append("{\"message\":\"there is room again\"}\n");
        }
        List<String> lines = Files.readAllLines(path);
        assertThat(lines.getLast()).isEqualTo("{\"message\":\"there is room again\"}");
        assertThat(lines.get(lines.size() - 2)).contains("\"lost\":" + lost);
        assertThat(lines.stream().filter(line -> !line.endsWith("}")))
                .as("lines that were cut off")
                .hasSizeLessThanOrEqualTo(1);
    }
}
