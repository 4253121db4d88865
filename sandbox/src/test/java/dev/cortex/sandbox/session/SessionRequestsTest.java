package dev.cortex.sandbox.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxIds;
import dev.cortex.sandbox.guest.SessionSpec;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SessionRequestsTest {
    private final SessionRequests requests = new SessionRequests(new SandboxIds(Clock.systemUTC(), new SecureRandom()));

    @Test
    void anIdIsMintedWhereNoneIsGiven() {
        assertThat(requests.spec(StartSession.of("true"), "").id()).matches("s_[0-9a-z]{16}");
    }

    @Test
    void anEmptyArgumentIsAnArgument() {
        assertThat(requests.spec(StartSession.of("printf", ""), "").argv()).hasSize(2);
    }

    @Test
    void theLongestArgumentIsTakenAndOneByteMoreIsRefused() {
        assertThat(requests.spec(StartSession.of("true", "x".repeat(131_071)), "")
                        .argv()
                        .get(1))
                .hasSize(131_071);
        assertThat(refusal(StartSession.of("true", "x".repeat(131_072)))).contains("131072", "131071");
        assertThat(refusal(StartSession.of("true", "ä".repeat(65_536)))).contains("131072");
    }

    @Test
    void moreThanTheKernelTakesInAllIsRefused() {
        String[] argv = new String[20];
        java.util.Arrays.fill(argv, "x".repeat(120_000));
        assertThat(refusal(StartSession.of(argv))).contains("in all");
    }

    @Test
    void aNulIsRefusedAnywhere() {
        assertThat(refusal(StartSession.of("a\0b"))).contains("NUL");
        assertThat(refusal(with(Map.of("A", "b\0"), List.of(), Optional.empty())))
                .contains("NUL");
        assertThat(refusal(with(Map.of(), List.of(), Optional.of("/a\0")))).contains("NUL");
    }

    @Test
    void bytesThatAreNoTextArriveAsTheyAre() {
        byte[] bytes = {(byte) 0xff, 'x'};
        StartSession request = new StartSession(
                Optional.empty(),
                List.of(),
                List.of(Base64.getEncoder().encodeToString(bytes)),
                Map.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        assertThat(requests.spec(request, "").argv()).singleElement().isEqualTo(bytes);
    }

    @Test
    void aTextThatIsNoUnicodeIsRefusedAndNotChangedSilently() {
        assertThat(refusal(StartSession.of("a\ud800"))).contains("argv_b64");
    }

    @Test
    void everyProblemIsToldAtOnce() {
        assertThat(refusal(with(Map.of("A=B", "x"), List.of("=x"), Optional.of("/a\0"))))
                .contains("'='", "env_b64", "cwd");
    }

    @Test
    void theSandboxesUserIsUsedWhereNoneIsAskedFor() {
        assertThat(requests.spec(StartSession.of("true"), "node").user()).isEqualTo("node");
    }

    @Test
    void noArgumentsStandForALoginShell() {
        SessionSpec spec = requests.spec(StartSession.of(), "");
        assertThat(spec.argv()).isEmpty();
    }

    private String refusal(StartSession request) {
        CortexException e = catchThrowableOfType(CortexException.class, () -> requests.spec(request, ""));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        return e.getMessage();
    }

    private static StartSession with(Map<String, String> env, List<String> envB64, Optional<String> cwd) {
        List<String> encoded = envB64.stream()
                .map(text -> Base64.getEncoder().encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .toList();
        return new StartSession(
                Optional.empty(),
                List.of("true"),
                List.of(),
                env,
                encoded,
                cwd,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
