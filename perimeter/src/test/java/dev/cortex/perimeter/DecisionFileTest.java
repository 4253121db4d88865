package dev.cortex.perimeter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.perimeter.Decision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DecisionFileTest {
    @TempDir
    Path folder;

    private static Decision decision(String host) {
        return new Decision(
                Instant.parse("2026-11-30T02:00:00.123456Z"),
                Decision.Verdict.DENY,
                host,
                443,
                "tunnel",
                "",
                "",
                "no rule \"\n\u0000",
                "r",
                "p\u00e9\ud83d\ude00",
                "s_1",
                7);
    }

    @Test
    void whatIsWrittenIsReadBackTheSame() throws Exception {
        DecisionFile file = new DecisionFile(folder);
        assertThat(file.last(10)).isEmpty();
        file.append(List.of(decision("a"), decision("b")));
        file.append(List.of(decision("c")));
        assertThat(file.last(10)).containsExactly(decision("a"), decision("b"), decision("c"));
        assertThat(file.last(1)).containsExactly(decision("c"));
    }

    @Test
    void aLineThatWasTornByACrashHidesNoOther() throws Exception {
        DecisionFile file = new DecisionFile(folder);
        file.append(List.of(decision("a")));
        Files.writeString(folder.resolve("egress.log"), "{\"at\":\"2026-\n", StandardOpenOption.APPEND);
        file.append(List.of(decision("b")));
        assertThat(file.last(10)).containsExactly(decision("a"), decision("b"));
    }

    @Test
    void howeverMuchIsWrittenTwoFilesOfBoundedSizeAreKept() throws Exception {
        DecisionFile file = new DecisionFile(folder);
        for (int i = 0; i < 200; i++) {
            file.append(Collections.nCopies(50, decision("n" + i)));
        }
        try (var files = Files.list(folder)) {
            assertThat(files.mapToLong(path -> path.toFile().length()).sum()).isLessThan(1_100_000);
        }
        List<Decision> last = file.last(50);
        assertThat(last).hasSize(50).allMatch(decision -> decision.host().equals("n199"));
    }
}
