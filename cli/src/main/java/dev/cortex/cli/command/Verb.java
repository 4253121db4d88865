package dev.cortex.cli.command;

import java.util.List;

/**
 * A verb: what it takes and what help says of it.
 *
 * @param operands what is expected behind the verb, as help shows it
 * @param least fewest operands
 * @param most most operands; what comes behind them is the command, where there is one
 * @param command whether a command to run follows, behind {@code --} or behind the operands
 * @param programStatus whether it answers with a program's status, so that its own failures are 125
 * @param elsewhere carried out by another main of the daemon; here only for help
 * @param examples three that work
 */
public record Verb(
        String name,
        String operands,
        int least,
        int most,
        boolean command,
        boolean programStatus,
        boolean elsewhere,
        String summary,
        List<Flag> flags,
        String notes,
        List<String> examples) {

    static Verb of(String name, String operands, int least, int most, String summary) {
        return new Verb(name, operands, least, most, false, false, false, summary, List.of(), "", List.of());
    }

    Verb runsCommand() {
        return new Verb(name, operands, least, most, true, true, elsewhere, summary, flags, notes, examples);
    }

    Verb programStatusToo() {
        return new Verb(name, operands, least, most, command, true, elsewhere, summary, flags, notes, examples);
    }

    Verb doneElsewhere() {
        return new Verb(name, operands, least, most, command, programStatus, true, summary, flags, notes, examples);
    }

    Verb with(Flag... more) {
        return new Verb(
                name,
                operands,
                least,
                most,
                command,
                programStatus,
                elsewhere,
                summary,
                List.of(more),
                notes,
                examples);
    }

    Verb noting(String text) {
        return new Verb(name, operands, least, most, command, programStatus, elsewhere, summary, flags, text, examples);
    }

    Verb example(String... lines) {
        return new Verb(
                name, operands, least, most, command, programStatus, elsewhere, summary, flags, notes, List.of(lines));
    }
}
