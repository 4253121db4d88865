package dev.cortex.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A command line, understood.
 *
 * @param flags in the order given; a switch has an empty value
 * @param operands what stands behind the verb, without flags
 * @param command the command to run, byte for byte
 */
public record Invocation(Verb verb, List<Given> flags, List<Word> operands, List<Word> command) {

    /** A flag with the value that it was given. */
    public record Given(Flag flag, Word value) {}

    public boolean has(String name) {
        return value(name).isPresent();
    }

    /** The last value given to that flag. */
    public Optional<Word> value(String name) {
        Optional<Word> last = Optional.empty();
        for (Given given : flags) {
            if (given.flag().name().equals(name)) {
                last = Optional.of(given.value());
            }
        }
        return last;
    }

    public Optional<String> text(String name) {
        Optional<Word> value = value(name);
        return value.isPresent() ? Optional.of(value.get().text()) : Optional.empty();
    }

    /** Every value given to that flag. */
    public List<Word> values(String name) {
        List<Word> values = new ArrayList<>();
        for (Given given : flags) {
            if (given.flag().name().equals(name)) {
                values.add(given.value());
            }
        }
        return values;
    }

    public String operand(int index) {
        return operands.get(index).text();
    }
}
