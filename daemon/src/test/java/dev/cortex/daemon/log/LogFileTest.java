package dev.cortex.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

final class LogFileTest {
    private static final Duration AGE = Duration.ofDays(14);
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path folder;

    private final SteppedClock clock = new SteppedClock();

    private static final class SteppedClock extends Clock {
        private Instant now = NOON;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private static void lastWritten(Path file, Instant at) throws Exception {
        Files.setLastModifiedTime(file, FileTime.from(at));
    }

    @Test
    void aFullFileIsPutAsideAndTheOldestGoes() throws Exception {
        Path path = folder.resolve("daemon.log");
        try (LogFile file = new LogFile(path, new LogLimits(30, 2, AGE), clock)) {
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
    void whatOneFileTellsAfterAnotherIsTheOwnersAlone() throws Exception {
        Path path = folder.resolve("daemon.log");
        try (LogFile file = new LogFile(path, new LogLimits(30, 2, AGE), clock)) {
            for (int i = 0; i < 4; i++) {
                file.append("line number " + i + "\n");
            }
        }
        for (String name : List.of("daemon.log", "daemon.log.1")) {
            assertThat(Files.getPosixFilePermissions(folder.resolve(name)))
                    .as(name)
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void theFirstLineOfADayBeginsANewFileAlsoInADaemonThatWasStartedThatDay() throws Exception {
        Path path = folder.resolve("daemon.log");
        LogLimits limits = new LogLimits(1 << 20, 5, AGE);
        try (LogFile file = new LogFile(path, limits, clock)) {
            file.append("first day\n");
            clock.now = Instant.parse("2026-03-01T23:59:59Z");
            file.append("still the first\n");
            clock.now = Instant.parse("2026-03-02T00:00:01Z");
            file.append("second day\n");
        }
        lastWritten(path, clock.now);
        clock.now = Instant.parse("2026-03-05T08:00:00Z");
        try (LogFile file = new LogFile(path, limits, clock)) {
            file.append("fifth day\n");
        }
        assertThat(Files.readAllLines(path)).containsExactly("fifth day");
        assertThat(Files.readAllLines(folder.resolve("daemon.log.1"))).containsExactly("second day");
        assertThat(Files.readAllLines(folder.resolve("daemon.log.2"))).containsExactly("first day", "still the first");
    }

    @Test
    void whatIsTooOldOrMoreThanIsKeptNowGoesAtTheOpeningAndAtEachNewFile() throws Exception {
        Path path = folder.resolve("daemon.log");
        for (int number = 1; number <= 9; number++) {
            Path old = Files.writeString(folder.resolve("daemon.log." + number), "old " + number + "\n");
            lastWritten(old, NOON.minus(Duration.ofDays(number)));
        }
        Path foreign = Files.writeString(folder.resolve("daemon.log.old"), "not ours\n");
        try (LogFile file = new LogFile(path, new LogLimits(1 << 20, 5, Duration.ofDays(4)), clock)) {
            assertThat(folder.resolve("daemon.log.3")).exists();
            for (int number = 5; number <= 9; number++) {
                assertThat(folder.resolve("daemon.log." + number)).doesNotExist();
            }
            file.append("a line\n");
            lastWritten(path, NOON);
            clock.now = NOON.plus(Duration.ofDays(2));
            file.append("another\n");
        }
        assertThat(Files.readAllLines(folder.resolve("daemon.log.1"))).containsExactly("a line");
        assertThat(Files.readAllLines(folder.resolve("daemon.log.2"))).containsExactly("old 1");
        assertThat(folder.resolve("daemon.log.4")).doesNotExist();
        assertThat(foreign).exists();
    }

    @Test
    void withoutFilesToKeepTheOneInUseBeginsAgain() throws Exception {
        Path path = folder.resolve("daemon.log");
        try (LogFile file = new LogFile(path, new LogLimits(20, 0, AGE), clock)) {
            file.append("the first line\n");
            file.append("the second line\n");
        }
        assertThat(Files.readAllLines(path)).containsExactly("the second line");
        assertThat(folder.resolve("daemon.log.1")).doesNotExist();
    }

    @Test
    void aFileThatCannotBePutAsideIsWrittenOnceItCanAndTheLostLinesAreCounted() throws Exception {
        Path path = folder.resolve("daemon.log");
        try (LogFile file = new LogFile(path, new LogLimits(20, 1, AGE), clock)) {
            file.append("the first line\n");
            // A folder that is not empty is replaced by no file, whoever asks.
            Path obstacle = Files.createDirectories(folder.resolve("daemon.log.1/full"));
            assertThatThrownBy(() -> file.append("the second line\n")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> file.append("the third line\n")).isInstanceOf(IOException.class);
            Files.delete(obstacle);
            file.append("the fourth line\n");
        }
        assertThat(Files.readAllLines(folder.resolve("daemon.log.1"))).containsExactly("the first line");
        assertThat(Files.readAllLines(path)).hasSize(2).satisfies(lines -> {
            assertThat(lines.get(0)).contains("could not be written", "\"lost\":2", "\"level\":\"error\"");
            assertThat(lines.get(1)).isEqualTo("the fourth line");
        });
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
