package dev.cortex.daemon.words;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

final class WordsTest {
    private final ByteArrayOutputStream people = new ByteArrayOutputStream();
    private final ByteArrayOutputStream programs = new ByteArrayOutputStream();

    private void print(boolean json) {
        new Words(json, new PrintStream(people, true, UTF_8), new PrintStream(programs, true, UTF_8))
                .print(CortexException.of(ErrorCode.INVALID_ARGUMENT, "one\ntwo", "see: help")
                        .because("so"));
    }

    @Test
    void aPersonReadsWhatWhyAndTheNextStep() {
        print(false);
        assertThat(people.toString(UTF_8)).isEqualTo("""
                cortex: one
                  two
                  because: so
                  see: help
                """);
        assertThat(programs.toString(UTF_8)).isEmpty();
    }

    @Test
    void aProgramGetsTheEnvelopeOnItsOutput() {
        print(true);
        assertThat(programs.toString(UTF_8))
                .isEqualTo("{\"schema_version\":1,\"kind\":\"error\",\"error\":{\"code\":\"INVALID_ARGUMENT\","
                        + "\"message\":\"one\\ntwo\",\"cause\":\"so\",\"remedy\":\"see: help\"}}\n");
        assertThat(people.toString(UTF_8)).isEmpty();
    }

    @Test
    void jsonIsAskedForAnywhereInTheWords() {
        assertThat(Words.of("serve", "--prt", "--json").json()).isTrue();
        assertThat(Words.of("serve").json()).isFalse();
    }
}
