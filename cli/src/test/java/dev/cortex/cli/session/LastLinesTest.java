package dev.cortex.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.wire.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class LastLinesTest {
    private static String last(long lines, String... parts) throws IOException {
        LastLines kept = new LastLines(lines);
        for (String part : parts) {
            kept.write(Frame.Tag.STDOUT, ByteBuffer.wrap(part.getBytes(StandardCharsets.UTF_8)));
        }
        StringBuilder text = new StringBuilder();
        kept.writeTo((tag, bytes) -> text.append(StandardCharsets.UTF_8.decode(bytes)));
        return text.toString();
    }

    @Test
    void theLastLinesAreCountedAcrossParts() throws Exception {
        assertThat(last(2, "a\nb", "\nc\n")).isEqualTo("b\nc\n");
        assertThat(last(1, "a\nb\nc")).isEqualTo("c");
        assertThat(last(2, "a\n", "b\n", "c\n")).isEqualTo("b\nc\n");
        assertThat(last(1, "a\n\n")).isEqualTo("\n");
    }

    @Test
    void fewerLinesThanAskedForAreAllOfThem() throws Exception {
        assertThat(last(9, "a\nb\n")).isEqualTo("a\nb\n");
        assertThat(last(0, "a\nb\n")).isEmpty();
        assertThat(last(3)).isEmpty();
    }

    @Test
    void numbersAreGroupedForPeople() {
        assertThat(Attachment.grouped(0)).isEqualTo("0");
        assertThat(Attachment.grouped(18_211)).isEqualTo("18,211");
        assertThat(Attachment.grouped(1_234_567)).isEqualTo("1,234,567");
        assertThat(Attachment.grouped(-1)).isEqualTo("18,446,744,073,709,551,615");
    }
}
