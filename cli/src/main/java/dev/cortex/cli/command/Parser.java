package dev.cortex.cli.command;

import dev.cortex.protocol.error.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a command line against {@link Verbs}. Flags may stand anywhere before {@code --}; a command begins behind it, or
 * with the first word behind the verb's operands, and is taken as it is from there on.
 */
public final class Parser {
    private final List<Word> words;
    private final List<Invocation.Given> flags = new ArrayList<>();
    private final List<Word> operands = new ArrayList<>();
    private List<Word> command = List.of();
    private Optional<Verb> verb = Optional.empty();
    private int at;

    private Parser(List<Word> words) {
        this.words = words;
    }

    /**
     * @throws UsageException when a word is unknown, missing or too much
     */
    public static Invocation parse(List<Word> words) throws UsageException {
        return new Parser(words).parse();
    }

    private Invocation parse() throws UsageException {
        while (at < words.size()) {
            Word word = words.get(at++);
            String text = word.text();
            if (text.equals("--")) {
                takeRest();
            } else if (text.startsWith("--")) {
                longFlag(word);
            } else if (text.length() > 1 && text.charAt(0) == '-') {
                letters(word);
            } else if (verb.isEmpty()) {
                verb = Optional.of(verb(text));
            } else if (verb.get().command() && operands.size() == verb.get().most()) {
                at--;
                command = List.copyOf(words.subList(at, words.size()));
                at = words.size();
            } else {
                operands.add(word);
            }
        }
        return checked();
    }

    private void takeRest() {
        List<Word> rest = words.subList(at, words.size());
        at = words.size();
        if (verb.isPresent() && verb.get().command()) {
            command = List.copyOf(rest);
        } else {
            operands.addAll(rest);
        }
    }

    private Invocation checked() throws UsageException {
        if (isGiven("version") && verb.isEmpty()) {
            return new Invocation(known("version"), List.copyOf(flags), List.of(), List.of());
        }
        if (verb.isEmpty()) {
            if (flags.isEmpty() || isGiven("help")) {
                return new Invocation(known("help"), List.copyOf(flags), List.of(), List.of());
            }
            throw new UsageException("which verb?", "see: cortex help");
        }
        Verb known = verb.get();
        if (isGiven("help") || known.elsewhere()) {
            return new Invocation(known("help"), List.copyOf(flags), List.of(Word.of(known.name())), List.of());
        }
        if (operands.size() < known.least()) {
            throw new UsageException("cortex " + known.name() + " needs " + known.operands(), helpOn(known));
        }
        if (operands.size() > known.most()) {
            throw new UsageException(
                    "cortex " + known.name() + " takes no word '"
                            + operands.get(known.most()).text() + "'",
                    helpOn(known));
        }
        return new Invocation(known, List.copyOf(flags), List.copyOf(operands), command);
    }

    private static Verb known(String name) {
        return Verbs.named(name).orElseThrow();
    }

    private boolean isGiven(String name) {
        for (Invocation.Given given : flags) {
            if (given.flag().name().equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static Verb verb(String name) throws UsageException {
        Optional<Verb> found = Verbs.named(name);
        if (found.isPresent()) {
            return found.get();
        }
        Optional<String> nearest = Nearest.of(name, Verbs.names());
        throw new UsageException(
                "there is no verb '" + name + "'",
                nearest.isPresent() ? "did you mean: cortex " + nearest.get() : "see: cortex help");
    }

    private void longFlag(Word word) throws UsageException {
        int equals = word.indexOf('=');
        String name = (equals < 0 ? word : word.upTo(equals)).text().substring(2);
        Flag flag = flag(name);
        if (!flag.takesValue()) {
            if (equals >= 0) {
                throw new UsageException("--" + name + " takes no value", helpOn());
            }
            add(flag, Word.of(""));
        } else if (equals >= 0) {
            add(flag, word.from(equals + 1));
        } else {
            add(flag, next(flag, "--" + name));
        }
    }

    /** {@code -it}, {@code -m512M} and {@code -m 512M}. */
    private void letters(Word word) throws UsageException {
        String text = word.text();
        for (int i = 1; i < text.length(); i++) {
            Flag flag = letter(text.charAt(i), text);
            if (flag.takesValue()) {
                add(flag, i + 1 < text.length() ? word.from(i + 1) : next(flag, "-" + text.charAt(i)));
                return;
            }
            add(flag, Word.of(""));
        }
    }

    private Word next(Flag flag, String shown) throws UsageException {
        if (at >= words.size() || words.get(at).text().equals("--")) {
            throw new UsageException(shown + " needs a value: " + flag.value(), helpOn());
        }
        return words.get(at++);
    }

    private void add(Flag flag, Word value) throws UsageException {
        if (flag.takesValue() && !flag.repeats() && isGiven(flag.name())) {
            throw new UsageException("--" + flag.name() + " is given twice", helpOn());
        }
        flags.add(new Invocation.Given(flag, value));
    }

    private Flag flag(String name) throws UsageException {
        List<String> names = new ArrayList<>();
        for (Flag flag : candidates()) {
            if (flag.isNamed(name)) {
                return flag;
            }
            names.add(flag.name());
        }
        if (verb.isEmpty() && name.equals("version")) {
            return Flag.on("version", "");
        }
        throw unknown("--" + name, Nearest.of(name, names));
    }

    private Flag letter(char letter, String shown) throws UsageException {
        for (Flag flag : candidates()) {
            if (flag.letter() == letter) {
                return flag;
            }
        }
        if (verb.isEmpty() && letter == 'V') {
            return Flag.on("version", "");
        }
        throw unknown(shown.length() == 2 ? shown : "-" + letter + " in " + shown, Optional.empty());
    }

    /** Before the verb is known, flags of any verb that is named further on. */
    private List<Flag> candidates() {
        List<Flag> all = new ArrayList<>(Verbs.GLOBAL);
        if (verb.isPresent()) {
            all.addAll(verb.get().flags());
        }
        return all;
    }

    private UsageException unknown(String shown, Optional<String> nearest) {
        String where = verb.isPresent() ? "cortex " + verb.get().name() : "cortex";
        return new UsageException(
                where + " has no flag " + shown, nearest.isPresent() ? "did you mean: --" + nearest.get() : helpOn());
    }

    private String helpOn() {
        return verb.isPresent() ? helpOn(verb.get()) : "see: cortex help";
    }

    private static String helpOn(Verb verb) {
        return "see: cortex " + verb.name() + " --help";
    }
}
