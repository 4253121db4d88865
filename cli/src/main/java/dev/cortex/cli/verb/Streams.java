package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.terminal.RawTerminal;
import java.util.Optional;

/**
 * How a session is connected to our own descriptors.
 *
 * @param terminal the size of the terminal that it gets, where it gets one
 * @param raw whether our terminal is passed through to it
 * @param stdin whether our stdin is forwarded
 */
record Streams(Optional<RawTerminal.Size> terminal, boolean raw, boolean stdin) {
    static Streams of(Invocation invocation, boolean json) throws UsageException {
        if (invocation.has("tty") && invocation.has("no-tty")) {
            throw new UsageException("--tty and --no-tty exclude each other", "give one of them");
        }
        if (invocation.has("stdin") && invocation.has("no-stdin")) {
            throw new UsageException("--stdin and --no-stdin exclude each other", "give one of them");
        }
        boolean stdinTerminal = Descriptors.isTerminal(0);
        boolean both = stdinTerminal && Descriptors.isTerminal(1) && !json;
        boolean terminal = invocation.has("tty") || (both && !invocation.has("no-tty"));
        boolean stdin = !invocation.has("no-stdin")
                && (terminal || invocation.has("stdin") || !stdinTerminal)
                && Descriptors.isReadable(0);
        Optional<RawTerminal.Size> size = Optional.empty();
        if (terminal) {
            size = Optional.of(stdinTerminal ? RawTerminal.size() : RawTerminal.USUAL);
        }
        return new Streams(size, terminal && stdinTerminal && stdin, stdin);
    }
}
