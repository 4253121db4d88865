package dev.cortex.sandbox.session;

import dev.cortex.protocol.api.StartSession;
import dev.cortex.sandbox.Problems;
import dev.cortex.sandbox.SandboxIds;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionSpec.Terminal;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Turns what a caller asks for into what a neuron is told, and refuses what cannot be, all of it at once and before
 * anything happens.
 */
public final class SessionRequests {
    private static final Pattern ID = Pattern.compile("s_[0-9a-z]{16}");

    /** Linux's PATH_MAX without its NUL. */
    private static final int PATH_BYTES = 4_095;

    /** The label travels in every list: a line, not a document. */
    private static final int LABEL_CHARACTERS = 256;

    private static final int TERMINAL_MOST = 65_535;

    private final SandboxIds ids;

    public SessionRequests(SandboxIds ids) {
        this.ids = ids;
    }

    /**
     * @param user of the sandbox's sessions, for a request that names none; empty: the guest's default
     * @throws dev.cortex.protocol.error.CortexException INVALID_ARGUMENT naming every problem
     */
    public SessionSpec spec(StartSession request, String user) {
        Problems problems = new Problems();
        List<byte[]> argv = arguments(request, problems);
        List<byte[]> environment = environment(request, problems);
        byte[] workdir = workdir(request, problems);
        String id = request.id().orElseGet(ids::nextSession);
        problems.require(ID.matcher(id).matches(), "a session's id is s_ and 16 characters of 0-9a-z");
        checkSizes(argv, environment, problems);
        Optional<Terminal> terminal = request.terminal().map(t -> terminal(t, problems));
        request.timeoutMs().ifPresent(ms -> problems.require(ms > 0, "timeout_ms must be positive"));
        String label = request.label().orElse("");
        problems.require(label.length() <= LABEL_CHARACTERS, "label has more than " + LABEL_CHARACTERS + " characters");
        String asked = request.user().orElse(user);
        problems.require(asked.length() <= LABEL_CHARACTERS && asked.indexOf('\0') < 0, "user is no user's name");
        problems.throwIfAny("cortex help exec; long input belongs into a file or on stdin");
        return new SessionSpec(
                id,
                argv,
                environment,
                workdir,
                asked,
                terminal,
                request.stdin().orElse(false),
                request.claim().orElse(false),
                request.timeoutMs().map(Duration::ofMillis),
                request.background().orElse(false),
                label);
    }

    private static List<byte[]> arguments(StartSession request, Problems problems) {
        problems.require(
                request.argv().isEmpty() || request.argvB64().isEmpty(), "argv and argv_b64 exclude each other");
        List<byte[]> argv = new ArrayList<>();
        for (String argument : request.argv()) {
            argv.add(utf8("argv", argument, problems));
        }
        for (String argument : request.argvB64()) {
            argv.add(base64("argv_b64", argument, problems));
        }
        return argv;
    }

    private static List<byte[]> environment(StartSession request, Problems problems) {
        List<byte[]> environment = new ArrayList<>();
        request.env().forEach((key, value) -> {
            problems.require(
                    !key.isEmpty() && key.indexOf('=') < 0, "a variable's name is empty or holds '=': " + shown(key));
            environment.add(utf8("env", key + "=" + value, problems));
        });
        for (String pair : request.envB64()) {
            byte[] bytes = base64("env_b64", pair, problems);
            problems.require(indexOf(bytes, (byte) '=') > 0, "env_b64 holds KEY=value pairs");
            environment.add(bytes);
        }
        return environment;
    }

    private static byte[] workdir(StartSession request, Problems problems) {
        problems.require(request.cwd().isEmpty() || request.cwdB64().isEmpty(), "cwd and cwd_b64 exclude each other");
        byte[] workdir = request.cwdB64()
                .map(path -> base64("cwd_b64", path, problems))
                .or(() -> request.cwd().map(path -> utf8("cwd", path, problems)))
                .orElse(new byte[0]);
        problems.require(workdir.length <= PATH_BYTES, "cwd has more than " + PATH_BYTES + " bytes");
        problems.require(indexOf(workdir, (byte) 0) < 0, "cwd holds a NUL");
        return workdir;
    }

    private static void checkSizes(List<byte[]> argv, List<byte[]> environment, Problems problems) {
        long total = 0;
        for (byte[] argument : argv) {
            problems.require(
                    argument.length <= SessionSpec.ARGUMENT_BYTES,
                    "an argument has " + argument.length + " bytes; the kernel takes " + SessionSpec.ARGUMENT_BYTES);
            problems.require(indexOf(argument, (byte) 0) < 0, "an argument holds a NUL");
            total += argument.length + 1L;
        }
        for (byte[] variable : environment) {
            problems.require(
                    variable.length <= SessionSpec.ARGUMENT_BYTES,
                    "a variable has " + variable.length + " bytes; the kernel takes " + SessionSpec.ARGUMENT_BYTES);
            problems.require(indexOf(variable, (byte) 0) < 0, "a variable holds a NUL");
            total += variable.length + 1L;
        }
        problems.require(
                total <= SessionSpec.TOTAL_BYTES,
                "arguments and variables have " + total + " bytes in all; at most " + SessionSpec.TOTAL_BYTES + " fit");
    }

    private static Terminal terminal(StartSession.TerminalSize asked, Problems problems) {
        problems.require(
                asked.rows() >= 1
                        && asked.rows() <= TERMINAL_MOST
                        && asked.columns() >= 1
                        && asked.columns() <= TERMINAL_MOST,
                "a terminal has 1 to " + TERMINAL_MOST + " rows and columns");
        String term = asked.term().orElse("");
        problems.require(term.length() <= LABEL_CHARACTERS && term.indexOf('\0') < 0, "term is no terminal's name");
        return new Terminal(term, asked.rows(), asked.columns());
    }

    private static byte[] utf8(String field, String text, Problems problems) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return copy;
        } catch (CharacterCodingException e) {
            problems.add(field + " is not Unicode; use " + field + "_b64");
            return new byte[0];
        }
    }

    private static byte[] base64(String field, String text, Problems problems) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            problems.add(field + " is not base64");
            return new byte[0];
        }
    }

    private static int indexOf(byte[] bytes, byte wanted) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static String shown(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "…" : text;
    }
}
