package dev.cortex.cli.terminal;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What we say: answers on stdout, everything else on stderr, in UTF-8 whatever the locale is, unbuffered. Usable from
 * several threads.
 */
public final class Output {
    private final OutputStream stdout;
    private final OutputStream stderr;
    private final boolean json;
    private final boolean stdoutColor;
    private final boolean stderrColor;
    private volatile boolean raw;

    public Output(OutputStream stdout, OutputStream stderr, boolean json, boolean stdoutColor, boolean stderrColor) {
        this.stdout = stdout;
        this.stderr = stderr;
        this.json = json;
        this.stdoutColor = stdoutColor;
        this.stderrColor = stderrColor;
    }

    /** On this process's own descriptors. */
    public static Output ofProcess(boolean json, boolean stdoutColor, boolean stderrColor) {
        return new Output(
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                json,
                stdoutColor,
                stderrColor);
    }

    public boolean json() {
        return json;
    }

    /** Whether the terminal is in raw mode, where a line feed does not return the carriage. */
    public void rawTerminal(boolean now) {
        raw = now;
    }

    /**
     * A line of the answer.
     *
     * @throws BrokenOutput when nobody reads stdout any more
     */
    public void line(String text) {
        text(text + "\n");
    }

    /** Text of the answer as it is. */
    public void text(String text) {
        bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes of the answer as they are. */
    public void raw(byte[] content) {
        bytes(content);
    }

    /** Whether the answer is in colours. */
    public boolean colors() {
        return stdoutColor;
    }

    private void bytes(byte[] bytes) {
        try {
            stdout.write(bytes);
        } catch (IOException e) {
            throw new BrokenOutput(e);
        }
    }

    /** The answer as the one envelope of {@code --json}. */
    public void data(String kind, Json data) {
        envelope(Json.object()
                .put("schema_version", 1)
                .put("kind", kind)
                .put("data", data)
                .build());
    }

    public void error(Json error) {
        envelope(Json.object()
                .put("schema_version", 1)
                .put("kind", "error")
                .put("error", error)
                .build());
    }

    private void envelope(Json envelope) {
        byte[] text = JsonText.write(envelope);
        byte[] line = new byte[text.length + 1];
        System.arraycopy(text, 0, line, 0, text.length);
        line[text.length] = '\n';
        bytes(line);
    }

    /** A line for the person, on stderr. */
    public void say(String text) {
        write(text + (raw ? "\r\n" : "\n"));
    }

    /** Text for the person without a line's end. */
    public void write(String text) {
        try {
            stderr.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // Nobody hears us; the exit status still says it.
        }
    }

    public String bold(String text) {
        return stdoutColor ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    public String green(String text) {
        return stdoutColor ? "\u001b[32m" + text + "\u001b[0m" : text;
    }

    public String yellow(String text) {
        return stdoutColor ? "\u001b[33m" + text + "\u001b[0m" : text;
    }

    public String red(String text) {
        return stdoutColor ? "\u001b[31m" + text + "\u001b[0m" : text;
    }

    public String dim(String text) {
        return stdoutColor ? "\u001b[2m" + text + "\u001b[0m" : text;
    }

    public String redOnStderr(String text) {
        return stderrColor ? "\u001b[31m" + text + "\u001b[0m" : text;
    }

    /** Nobody reads stdout any more: the command ends as a program that SIGPIPE ends. */
    public static final class BrokenOutput extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public BrokenOutput(IOException cause) {
            super(cause);
        }
    }
}
