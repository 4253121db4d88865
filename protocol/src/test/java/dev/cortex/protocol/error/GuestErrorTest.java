package dev.cortex.protocol.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class GuestErrorTest {
    private static final Set<ErrorCode> THE_HOSTS = Set.of(
            ErrorCode.ILLEGAL_TRANSITION, ErrorCode.UNREACHABLE, ErrorCode.OWNED_ELSEWHERE, ErrorCode.DISK_MISMATCH);

    private static final Set<ErrorCode> THE_RELAYS = Set.of(
            ErrorCode.GUEST_LOST,
            ErrorCode.GUEST_TOO_OLD,
            ErrorCode.DRIVER_FAILED,
            ErrorCode.NOT_RUNNING,
            ErrorCode.PAUSED,
            ErrorCode.CANCELLED,
            ErrorCode.INTERNAL);

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void aCodeIsTakenFromWhoCanKnowOfIt(ErrorCode code) {
        ErrorCode said = GuestError.of(code.name(), "words", "").code();
        ErrorCode relayed = GuestError.relayed(code.name(), "words").code();
        boolean hosts = THE_HOSTS.contains(code);
        boolean relays = THE_RELAYS.contains(code);
        assertThat(said).isEqualTo(hosts || relays ? ErrorCode.INTERNAL : code);
        assertThat(relayed).isEqualTo(hosts ? ErrorCode.INTERNAL : code);
    }

    @Test
    void anUnknownCodeIsToldAsTheReason() {
        CortexException error = GuestError.of("\u001b[2JBOOM", "words", "");
        assertThat(error.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(error.reason()).contains("the guest's code for it is ?[2JBOOM");
    }

    @Test
    void wordsCommandNoTerminal() {
        String hostile = "a\u001b]0;title\u0007b\r\n\u009b31mc\u202ed\u2028e\ud800f";
        for (CortexException error :
                new CortexException[] {GuestError.of("DENIED", hostile, hostile), GuestError.relayed("DENIED", hostile)
                }) {
            assertThat(error.getMessage()).isEqualTo("a?]0;title?b???31mc?d?e?f");
        }
        assertThat(GuestError.of("DENIED", "x", hostile).remedy()).contains("a?]0;title?b???31mc?d?e?f");
    }

    @Test
    void wordsAreNotLong() {
        CortexException error = GuestError.of("X".repeat(500), "\uD83D\uDE00".repeat(5_000), "r".repeat(5_000));
        assertThat(error.getMessage().codePointCount(0, error.getMessage().length()))
                .isEqualTo(2_048);
        assertThat(error.remedy().orElseThrow()).hasSize(512);
        assertThat(error.reason().orElseThrow()).hasSizeLessThan(100);
    }
}
