package dev.cortex.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Help as text: each fits a screen, and ends with three examples that work. */
public final class Help {
    private Help() {}

    private static final String EXAMPLES = "\nExamples:\n";

    public static String overview() {
        StringBuilder text = new StringBuilder("Usage: cortex VERB [FLAGS] …\n\n");
        int width = widest(Verbs.names());
        for (Verb verb : Verbs.all()) {
            text.append("  ")
                    .append(padded(verb.name(), width))
                    .append(verb.summary())
                    .append('\n');
        }
        text.append("\nEvery verb: --json, --help.  Subjects: cortex help ")
                .append(String.join(" | ", Subjects.names()));
        text.append('\n').append(EXAMPLES);
        return text.append("  cortex run -- python3 -c 'print(6*7)'\n  cortex create api && cortex exec api\n")
                .append("  cortex help settings\n")
                .toString();
    }

    /**
     * @throws UsageException where it is neither a verb nor a subject
     */
    public static String on(String word) throws UsageException {
        Optional<Verb> verb = Verbs.named(word);
        if (verb.isPresent()) {
            return of(verb.get());
        }
        Optional<String> subject = Subjects.text(word);
        if (subject.isPresent()) {
            return subject.get();
        }
        List<String> known = new ArrayList<>(Verbs.names());
        known.addAll(Subjects.names());
        Optional<String> nearest = Nearest.of(word, known);
        throw new UsageException(
                "there is no help on '" + word + "'",
                nearest.isPresent() ? "did you mean: cortex help " + nearest.get() : "see: cortex help");
    }

    static String of(Verb verb) {
        StringBuilder text =
                new StringBuilder(verb.summary()).append(".\n\nUsage: cortex ").append(verb.name());
        text.append(verb.flags().isEmpty() ? "" : " [FLAGS]");
        text.append(verb.operands().isEmpty() ? "" : " " + verb.operands()).append('\n');
        if (!verb.flags().isEmpty()) {
            text.append('\n');
            List<String> names = new ArrayList<>();
            for (Flag flag : verb.flags()) {
                names.add(shown(flag));
            }
            int width = widest(names);
            for (int i = 0; i < names.size(); i++) {
                Flag flag = verb.flags().get(i);
                text.append("  ").append(padded(names.get(i), width)).append(flag.help());
                text.append(flag.repeats() ? " (repeats)" : "").append('\n');
            }
        }
        if (!verb.notes().isEmpty()) {
            text.append('\n').append(verb.notes()).append('\n');
        }
        text.append(EXAMPLES);
        for (String example : verb.examples()) {
            text.append("  ").append(example).append('\n');
        }
        return text.toString();
    }

    private static String shown(Flag flag) {
        String letter = flag.letter() == 0 ? "    " : "-" + flag.letter() + ", ";
        String alias = flag.alias().isEmpty() ? "" : ", --" + flag.alias();
        return letter + "--" + flag.name() + alias + (flag.takesValue() ? " " + flag.value() : "");
    }

    private static int widest(List<String> words) {
        int width = 0;
        for (String word : words) {
            width = Math.max(width, word.length());
        }
        return width + 2;
    }

    private static String padded(String word, int width) {
        return word + " ".repeat(width - word.length());
    }
}
