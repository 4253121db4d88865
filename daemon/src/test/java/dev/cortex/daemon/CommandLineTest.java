package dev.cortex.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CommandLineTest {
    private static CommandLine parse(String... words) {
        return CommandLine.parse("serve", words, Set.of("--stop"), Set.of("--port"));
    }

    @Test
    void flagsAndValuesAreTakenInEitherFormAndTheVerbIsPassedOver() {
        assertThat(parse("serve", "--port", "0", "--stop").value("--port")).contains("0");
        assertThat(parse("--home", "/h", "serve", "--port=7").value("--port")).contains("7");
        assertThat(parse("serve", "--stop").has("--stop")).isTrue();
        assertThat(parse("serve", "-y").consents(Map.of())).isTrue();
        assertThat(parse("serve").consents(Map.of("CI", "true"))).isTrue();
        assertThat(parse("serve").consents(Map.of())).isFalse();
    }

    @Test
    void everyUnknownWordIsRefusedByName() {
        assertThatThrownBy(() -> parse("serve", "--stap", "now", "--port"))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("'--stap'")
                .hasMessageContaining("'now'")
                .hasMessageContaining("--port needs a value");
    }

    @Test
    void aTypoIsAnsweredByTheNearestFlag() {
        assertThatThrownBy(() -> parse("serve", "--prt", "1"))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.remedy()).contains("did you mean: --port"));
        assertThatThrownBy(() -> parse("serve", "now"))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.remedy()).contains("see: cortex serve --help"));
    }
}
