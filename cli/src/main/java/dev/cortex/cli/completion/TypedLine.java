package dev.cortex.cli.completion;

import dev.cortex.cli.command.Flag;
import dev.cortex.cli.command.Verb;
import dev.cortex.cli.command.Verbs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A command line up to the cursor. It is read as the command would read it, as far as it makes sense; what does not is
 * passed over.
 */
public final class TypedLine {
    private final List<String> before;
    private final String last;
    private final List<String> operands = new ArrayList<>();
    private final List<String> given = new ArrayList<>();
    private Optional<Verb> verb = Optional.empty();
    private Optional<Flag> pending = Optional.empty();
    private Optional<String> home = Optional.empty();
    private boolean commandBegun;
    private boolean ended;

    /** @param words behind the name of the program; the last is being typed and may be empty */
    public TypedLine(List<String> words) {
        this.before = words.isEmpty() ? List.of() : words.subList(0, words.size() - 1);
        this.last = words.isEmpty() ? "" : words.getLast();
        before.forEach(this::read);
    }

    /** The home that the line names. */
    public Optional<String> home() {
        return home;
    }

    /** Whether that word stands there as an operand already. */
    public boolean isGiven(String operand) {
        return operands.contains(operand);
    }

    /** What stands before the part that is completed: {@code --image=}, or nothing. */
    public String prefix() {
        return valueBegin() > 0 ? last.substring(0, valueBegin()) : "";
    }

    /** The part that is completed. */
    public String part() {
        return last.substring(valueBegin());
    }

    private int valueBegin() {
        boolean flag = !commandBegun && !ended && pending.isEmpty() && last.startsWith("--");
        return flag ? last.indexOf('=') + 1 : 0;
    }

    private void read(String word) {
        if (commandBegun || ended) {
            operands.add(word);
        } else if (pending.isPresent()) {
            value(pending.get(), word);
            pending = Optional.empty();
        } else if (word.equals("--")) {
            commandBegun = verb.isPresent() && verb.get().command();
            ended = true;
        } else if (word.startsWith("-") && word.length() > 1) {
            flag(word);
        } else if (verb.isEmpty()) {
            verb = Verbs.named(word);
            // Nothing is known of what follows a word that is no verb.
            ended = verb.isEmpty();
        } else {
            operands.add(word);
            commandBegun = verb.get().command() && operands.size() > verb.get().most();
        }
    }

    private void flag(String word) {
        int equals = word.indexOf('=');
        Optional<Flag> flag = named(equals < 0 ? word : word.substring(0, equals));
        if (flag.isEmpty()) {
            return;
        }
        given.add(flag.get().name());
        if (flag.get().takesValue() && equals < 0) {
            pending = flag;
        } else if (equals >= 0) {
            value(flag.get(), word.substring(equals + 1));
        }
    }

    private void value(Flag flag, String value) {
        if (flag.name().equals("home")) {
            home = Optional.of(value);
        }
    }

    /** By its long form, its alias, or the last of its letters. */
    private Optional<Flag> named(String word) {
        for (Flag flag : flags()) {
            boolean named = word.equals("--" + flag.name())
                    || (!flag.alias().isEmpty() && word.equals("--" + flag.alias()))
                    || (flag.letter() != 0
                            && !word.startsWith("--")
                            && word.charAt(word.length() - 1) == flag.letter());
            if (named) {
                return Optional.of(flag);
            }
        }
        return Optional.empty();
    }

    private List<Flag> flags() {
        List<Flag> all = new ArrayList<>();
        verb.ifPresent(known -> all.addAll(known.flags()));
        all.addAll(Verbs.GLOBAL);
        return all;
    }

    /** What is wanted at the cursor. */
    public Wish wish() {
        if (commandBegun) {
            return ofCommand();
        }
        if (pending.isPresent()) {
            return Values.of(pending.get());
        }
        if (!ended && last.startsWith("-")) {
            int equals = last.indexOf('=');
            return equals < 0
                    ? flagNames()
                    : named(last.substring(0, equals)).map(Values::of).orElse(new Wish.Unknown());
        }
        if (verb.isEmpty()) {
            return ended ? new Wish.Unknown() : verbs();
        }
        return Operands.of(verb.get().name(), operands);
    }

    /** Words of a command are files, of {@code exec} those inside. */
    private Wish ofCommand() {
        boolean inside = verb.isPresent() && verb.get().most() > 0 && !operands.isEmpty();
        return inside ? new Wish.Inside(operands.getFirst()) : new Wish.Files();
    }

    private Wish flagNames() {
        List<Candidate> all = new ArrayList<>();
        String help = "";
        for (Flag flag : flags()) {
            // A flag without help of its own shares that of the one before it.
            help = flag.help().isEmpty() ? help : flag.help();
            if (flag.repeats() || !given.contains(flag.name())) {
                all.add(new Candidate("--" + flag.name(), help));
            }
        }
        return new Wish.Words(all);
    }

    private static Wish verbs() {
        List<Candidate> all = new ArrayList<>();
        for (Verb known : Verbs.all()) {
            all.add(new Candidate(known.name(), known.summary()));
        }
        return new Wish.Words(all);
    }
}
