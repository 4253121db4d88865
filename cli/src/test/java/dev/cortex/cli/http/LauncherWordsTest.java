package dev.cortex.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LauncherWordsTest {
    @Test
    void ofAnAnswerTheMessageIsSaid() {
        assertThat(
                        LauncherWords.of(
                                "{\"error\":{\"code\":\"DRIVER_FAILED\",\"message\":\"opening the log: open /h/daemon.log: is a directory\"}}"))
                .isEqualTo("opening the log: open /h/daemon.log: is a directory");
    }

    @Test
    void whatIsNoAnswerIsSaidAsItIs() {
        for (String words : new String[] {"", "panic: no memory", "{\"error\":", "{}", "[1]", "{\"error\":\"text\"}"}) {
            assertThat(LauncherWords.of(words)).isEqualTo(words);
        }
    }
}
