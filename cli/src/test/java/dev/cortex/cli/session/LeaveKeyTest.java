package dev.cortex.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LeaveKeyTest {
    private final LinkedBlockingQueue<String> passed = new LinkedBlockingQueue<>();
    private final LeaveKey key = new LeaveKey(
            bytes -> passed.add(StandardCharsets.ISO_8859_1.decode(bytes).toString()));

    private boolean typed(String text) throws InterruptedException {
        return key.typed(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    void whatIsTypedGoesToTheProgramme() throws Exception {
        assertThat(typed("ls\n")).isFalse();
        assertThat(passed).containsExactly("ls\n");
    }

    @Test
    void twoPressesLeaveAndReachNoProgramme() throws Exception {
        assertThat(typed("a\u001d")).isFalse();
        assertThat(typed("\u001d")).isTrue();
        assertThat(passed).containsExactly("a");
        assertThat(typed("b\u001d\u001dc")).isTrue();
        assertThat(passed).containsExactly("a", "b");
    }

    @Test
    void aSinglePressIsPassedOnBeforeTheNextKeyOrAfterAMoment() throws Exception {
        assertThat(typed("\u001d")).isFalse();
        assertThat(typed("x")).isFalse();
        assertThat(passed).containsExactly("\u001d", "x");
        passed.clear();
        assertThat(typed("\u001d")).isFalse();
        assertThat(passed.poll(20, TimeUnit.SECONDS)).isEqualTo("\u001d");
        assertThat(typed("\u001d")).isFalse();
        assertThat(passed.poll(20, TimeUnit.SECONDS)).isEqualTo("\u001d");
    }
}
