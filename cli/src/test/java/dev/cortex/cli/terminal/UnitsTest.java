package dev.cortex.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.cli.command.UsageException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UnitsTest {
    @Test
    void timesHaveUnits() throws Exception {
        assertThat(Units.millis("--timeout", "500ms")).isEqualTo(500);
        assertThat(Units.millis("--timeout", "5")).isEqualTo(5_000);
        assertThat(Units.millis("--timeout", "1.5m")).isEqualTo(90_000);
        assertThat(Units.millis("--timeout", "2h")).isEqualTo(7_200_000);
        for (String bad : List.of("", "x", "5 s", "-1s", "0", "5y", "1e9s", "1.2.3s")) {
            assertThatThrownBy(() -> Units.millis("--timeout", bad)).as(bad).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void sizesArePowersOfTwo() throws Exception {
        assertThat(Units.bytes("--memory", "512M")).isEqualTo(512L << 20);
        assertThat(Units.bytes("--memory", "1.5GiB")).isEqualTo(3L << 29);
        assertThat(Units.bytes("--memory", "2gb")).isEqualTo(2L << 30);
        assertThat(Units.bytes("--memory", "1048576")).isEqualTo(1 << 20);
        for (String bad : List.of("", "M", "5X", "-1M", "0", "1MM", "99999999999T")) {
            assertThatThrownBy(() -> Units.bytes("--memory", bad)).as(bad).isInstanceOf(UsageException.class);
        }
    }

    @Test
    void peopleReadRoundFigures() {
        assertThat(Units.size(512)).isEqualTo("512B");
        assertThat(Units.size(88L << 20)).isEqualTo("88M");
        assertThat(Units.size((12L << 30) / 10)).isEqualTo("1.2G");
        assertThat(Units.size(2L << 30)).isEqualTo("2G");
        assertThat(Units.age(59_000)).isEqualTo("59s");
        assertThat(Units.age(7_300_000)).isEqualTo("2h");
        assertThat(Units.age(6 * 86_400_000L)).isEqualTo("6d");
        assertThat(Units.age(-5)).isEqualTo("0s");
    }

    @Test
    void aLengthOfTimeIsSaidInItsTwoLargestUnits() {
        assertThat(Units.time(250)).isEqualTo("250ms");
        assertThat(Units.time(3_600_000)).isEqualTo("1h");
        assertThat(Units.time(5_430_000)).isEqualTo("1h 30m");
        assertThat(Units.time(90_061_000)).isEqualTo("1d 1h");
    }

    @Test
    void isoTimesAreReadAsTheLibraryReadsThem() {
        for (String text : List.of(
                "1970-01-01T00:00:00Z",
                "2026-11-29T23:07:46.123456Z",
                "2024-02-29T12:00:00.5Z",
                "2100-03-01T00:00:00Z")) {
            assertThat(IsoTime.millis(text))
                    .as(text)
                    .isEqualTo(Instant.parse(text).toEpochMilli());
        }
        assertThat(IsoTime.millis("yesterday")).isZero();
    }

    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        Table table = new Table("A", "B", "C");
        table.row("long", "–", "");
        table.row("x", "ü", "some words");
        assertThat(table.lines(0)).containsExactly("A     B  C", "long  –", "x     ü  some words");
        assertThat(table.lines(12)).containsExactly("A     B  C", "long  –", "x     ü  so…");
    }

    @Test
    void wordsOfASandboxDoNotMoveTheCursor() {
        assertThat(Printable.of("a\u001b[2Jb\nc\u009b")).isEqualTo("a?[2Jb c?");
        assertThat(Printable.command(List.of("sh", "-c", "echo 'x'", ""))).isEqualTo("sh -c 'echo '\\''x'\\''' ''");
    }

    @Test
    void theTerminalsSizeIsWhatSttyPrints() {
        assertThat(RawTerminal.size("50 132\n")).isEqualTo(new RawTerminal.Size(50, 132));
        assertThat(RawTerminal.size("0 0\n")).isEqualTo(RawTerminal.USUAL);
        assertThat(RawTerminal.size("")).isEqualTo(RawTerminal.USUAL);
    }
}
