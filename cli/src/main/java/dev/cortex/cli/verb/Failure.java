package dev.cortex.cli.verb;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.Optional;

/** What went wrong, for a person on stderr or as an envelope on stdout: what happened, why, and the next command. */
public final class Failure {
    private final Output output;

    public Failure(Output output) {
        this.output = output;
    }

    public void tell(CortexException e) {
        tell(e.code().name(), message(e), e.reason(), e.remedy());
    }

    public void tellUsage(String message, String remedy) {
        tell(ErrorCode.INVALID_ARGUMENT.name(), message, Optional.empty(), Optional.of(remedy));
    }

    /** On stderr even with {@code --json}, where another failure gets the envelope. */
    void say(CortexException e) {
        say(message(e), e.reason(), shown(e.code().name(), e.remedy()));
    }

    private static String message(CortexException e) {
        String message = e.getMessage();
        boolean plain = e.code() == ErrorCode.NOT_READY
                && !message.startsWith("not ready")
                && !message.startsWith("the daemon");
        return plain ? "not ready: " + message : message;
    }

    private void tell(String code, String message, Optional<String> reason, Optional<String> remedy) {
        if (output.json()) {
            Json.Building error = Json.object().put("code", code).put("message", message);
            output.error(error.put("cause", reason).put("remedy", remedy).build());
        } else {
            say(message, reason, shown(code, remedy));
        }
    }

    /** What makes a machine ready is a fix; in JSON the code says that. */
    private static Optional<String> shown(String code, Optional<String> remedy) {
        boolean fix = code.equals(ErrorCode.NOT_READY.name())
                && remedy.isPresent()
                && !remedy.get().isBlank();
        return fix ? Optional.of("fix: " + remedy.get()) : remedy;
    }

    private void say(String message, Optional<String> reason, Optional<String> remedy) {
        output.say(output.redOnStderr("cortex:") + " " + message.strip().replace("\n", "\n  "));
        reason.ifPresent(words -> indented(words));
        remedy.ifPresent(words -> indented(words));
    }

    private void indented(String words) {
        if (!words.isBlank()) {
            output.say("  " + words.strip().replace("\n", "\n  "));
        }
    }
}
