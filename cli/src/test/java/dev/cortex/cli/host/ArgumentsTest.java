package dev.cortex.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.cli.command.Word;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ArgumentsTest {
    private static byte[] commandLine(String text) {
        return text.replace('|', '\0').getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void theLastArgumentsOfTheProcessAreOurs() {
        byte[] line = commandLine("java|-cp|x|Main|run||a b|");
        assertThat(Arguments.last(line, 3)).extracting(Word::text).containsExactly("run", "", "a b");
        assertThat(Arguments.last(line, 0)).isEmpty();
    }

    @Test
    void bytesThatAreNoTextStayAsTheyAre() {
        byte[] line = commandLine("java|Main|\u00ff\u00fe|");
        Word word = Arguments.last(line, 1).getFirst();
        assertThat(word.bytes()).containsExactly(0xff, 0xfe);
        assertThat(word.isText()).isFalse();
    }

    @Test
    void sessionIdsAreOfTheFormThatTheServiceTakes() {
        assertThat(RandomBytes.sessionId()).matches("s_[0-9a-z]{16}");
        assertThat(RandomBytes.sessionId()).isNotEqualTo(RandomBytes.sessionId());
    }
}
