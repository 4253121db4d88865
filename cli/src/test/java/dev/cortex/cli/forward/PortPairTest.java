package dev.cortex.cli.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cortex.cli.command.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PortPairTest {
    @Test
    void aPortAloneIsTheSameHere() throws UsageException {
        assertThat(PortPair.parse("8080")).isEqualTo(new PortPair(8080, 8080));
    }

    @Test
    void theSecondPortIsTheOneHere() throws UsageException {
        assertThat(PortPair.parse("80:8000")).isEqualTo(new PortPair(80, 8000));
    }

    @Test
    void zeroHereIsAnyThatIsFree() throws UsageException {
        assertThat(PortPair.parse("65535:0")).isEqualTo(new PortPair(65535, 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "0",
                "-1",
                "+80",
                "65536",
                "80:",
                ":80",
                "80:65536",
                "80:-1",
                "a",
                "80:b",
                "1:2:3",
                "999999999999"
            })
    void everythingElseIsNoPort(String text) {
        assertThatExceptionOfType(UsageException.class).isThrownBy(() -> PortPair.parse(text));
    }
}
