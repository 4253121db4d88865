package dev.cortex.cli.verb;

import dev.cortex.cli.command.UsageException;

/** What a verb does. */
public interface Command {
    /**
     * @return the exit status
     * @throws UsageException when the words were not as they should be
     * @throws dev.cortex.protocol.error.CortexException when it failed
     */
    int run() throws UsageException;
}
