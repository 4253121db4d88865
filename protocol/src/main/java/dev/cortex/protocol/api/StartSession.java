package dev.cortex.protocol.api;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks for a session: one process in a sandbox.
 *
 * @param id minted by the caller (s_ and 16 characters of 0-9a-z), so that a retry cannot start a second process; absent: minted here
 * @param argv the program and its arguments, or {@code argvB64}; neither: the user's login shell
 * @param argvB64 the same byte for byte, each in base64
 * @param env over the sandbox's environment
 * @param envB64 the same as {@code KEY=value}, each in base64
 * @param terminal absent: pipes
 * @param stdin false (default): /dev/null
 * @param claim hold the output for a client that is about to attach
 * @param timeoutMs wall clock; on its end every descendant is killed
 * @param background does not keep the sandbox from being idle
 */
public record StartSession(
        Optional<String> id,
        List<String> argv,
        List<String> argvB64,
        Map<String, String> env,
        List<String> envB64,
        Optional<String> cwd,
        Optional<String> cwdB64,
        Optional<String> user,
        Optional<TerminalSize> terminal,
        Optional<Boolean> stdin,
        Optional<Boolean> claim,
        Optional<Long> timeoutMs,
        Optional<Boolean> background,
        Optional<String> label) {

    public StartSession {
        argv = List.copyOf(argv);
        argvB64 = List.copyOf(argvB64);
        env = Map.copyOf(env);
        envB64 = List.copyOf(envB64);
    }

    /** The same session with another program. */
    public StartSession with(List<String> newArgv, List<String> newArgvB64) {
        return new StartSession(
                id,
                newArgv,
                newArgvB64,
                env,
                envB64,
                cwd,
                cwdB64,
                user,
                terminal,
                stdin,
                claim,
                timeoutMs,
                background,
                label);
    }

    /** A terminal of that size, in characters. */
    public record TerminalSize(Optional<String> term, int rows, int columns) {}

    public static StartSession of(String... argv) {
        return new StartSession(
                Optional.empty(),
                List.of(argv),
                List.of(),
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
    }
}
