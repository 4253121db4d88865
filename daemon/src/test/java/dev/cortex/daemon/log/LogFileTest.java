package dev.cortex.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

final class LogFileTest {
    @TempDir
    Path folder;

    @Test
    void aFullFileIsPutAsideAndTheOldestGoes() throws Exception {
        Path path = folder.resolve("daemon.log");
        try (LogFile file = new LogFile(path, 30, 2)) {
            for (int i = 0; i < 10; i++) {
                file.append("line number " + i + "\n");
            }
        }
        assertThat(Files.readAllLines(path)).containsExactly("line number 8", "line number 9");
        assertThat(Files.readAllLines(folder.resolve("daemon.log.1")))
                .containsExactly("line number 6", "line number 7");
        assertThat(Files.readAllLines(folder.resolve("daemon.log.2")))
                .containsExactly("line number 4", "line number 5");
        assertThat(folder.resolve("daemon.log.3")).doesNotExist();
    }

    @Test
    void whateverIsLoggedStaysOneLineOfJson() {
        String odd = "quote \" backslash \\ newline \n return \r escape \u001b[2J euro € lone \ud800 delete \u007f";
        String line = new JsonLines().add("message", odd).add("count", -3).end();
        assertThat(line).endsWith("}\n").hasLineCount(1);
        var read = JsonMapper.shared().readTree(line);
        assertThat(read.get("message").asString()).isEqualTo(odd);
        assertThat(read.get("count").asInt()).isEqualTo(-3);
    }
}
