package dev.cortex.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.bench.measure.Length;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ArgumentsTest {
    private static Arguments parse(String... words) {
        return Arguments.parse(words);
    }

    @Test
    void withoutWordsEverythingIsMeasuredAtLength() {
        Arguments plain = parse();
        assertThat(plain.length()).isEqualTo(Length.WHOLE);
        assertThat(plain.only()).isEmpty();
        assertThat(plain.json()).isEmpty();
    }

    @Test
    void onlyTakesNamesUpToTheNextFlag() {
        Arguments some = parse("--only", "exec", "command", "--short", "--json", "a.json");
        assertThat(some.only()).containsExactly("exec", "command");
        assertThat(some.length()).isEqualTo(Length.SHORT);
        assertThat(some.json()).contains(Path.of("a.json"));
    }

    @Test
    void aSoakLastsTwentyMinutesUnlessOneSaysHowLong() {
        assertThat(parse("--soak").soak()).contains(Duration.ofMinutes(20));
        assertThat(parse("--soak", "3").soak()).contains(Duration.ofMinutes(3));
        assertThatThrownBy(() -> parse("--soak", "0")).hasMessageContaining("minutes");
    }

    @Test
    void whatIsNotUnderstoodIsNamed() {
        assertThatThrownBy(() -> parse("--shrot")).hasMessageContaining("'--shrot'");
        assertThatThrownBy(() -> parse("--json")).hasMessageContaining("--json FILE");
        assertThatThrownBy(() -> parse("--only", "--short")).hasMessageContaining("--only NAME");
    }
}
