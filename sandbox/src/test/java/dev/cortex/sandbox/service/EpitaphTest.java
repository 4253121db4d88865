package dev.cortex.sandbox.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EpitaphTest {
    private static final String SERVING = "{\"level\":\"info\",\"message\":\"neuron serving\",\"pid\":1}\n";

    @TempDir
    private Path folder;

    @Test
    void withoutAConsoleTheCauseIsUnknown() {
        assertThat(Epitaph.of(Optional.empty(), folder)).isEqualTo("memory_lost: cause unknown");
    }

    @Test
    void whatTheNeuronSaidInPassingIsNoCause() throws IOException {
        console(SERVING);
        assertThat(Epitaph.of(Optional.empty(), folder)).isEqualTo("memory_lost: cause unknown");
    }

    @Test
    void theLastTroubleItSpokeOfIsShownAsItsOwnWords() throws IOException {
        console(SERVING + "{\"level\":\"error\",\"message\":\"cannot accept: too many files\",\"pid\":1}\n" + SERVING);
        assertThat(Epitaph.of(Optional.empty(), folder))
                .isEqualTo("memory_lost: its neuron's last words: cannot accept: too many files");
    }

    @Test
    void aPanicIsNamedByItsFirstLine() throws IOException {
        console(SERVING + "panic: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n");
        assertThat(Epitaph.of(Optional.empty(), folder)).endsWith("panic: index out of range");
    }

    @Test
    void whatTheDriverKnowsComesFirst() throws IOException {
        console("panic: x\n");
        assertThat(Epitaph.of(Optional.of("killed by its memory limit"), folder))
                .isEqualTo("memory_lost: killed by its memory limit");
    }

    @Test
    void hostileWordsAreShortAndHaveNoControlCharacters() throws IOException {
        console("panic: \u001b[2J" + "x".repeat(10_000) + "\n");
        assertThat(Epitaph.of(Optional.empty(), folder))
                .doesNotContain("\u001b")
                .hasSizeLessThan(300);
    }

    @Test
    void aLinkInThePlaceOfTheConsoleIsNotFollowed() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "panic: secret\n");
        Files.createSymbolicLink(folder.resolve("console.log"), secret);
        assertThat(Epitaph.of(Optional.empty(), folder)).doesNotContain("secret");
    }

    private void console(String text) throws IOException {
        Files.writeString(folder.resolve("console.log"), text);
    }
}
