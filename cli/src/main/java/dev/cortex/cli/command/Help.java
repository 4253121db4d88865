package dev.cortex.cli.command;

import dev.cortex.protocol.error.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Help as text: each fits a screen, and ends with three examples that work. */
public final class Help {
    private Help() {}

    /** Where the explanation of a flag begins. */
    private static final int COLUMN = 28;

    private static final int WIDTH = 80;

    private static final String EXAMPLES = "\nExamples:\n";

    /** Names of verbs that are explained on one line, and the line. */
    private static final String[][] OVERVIEW = {
        {"run, create", "Run a command in a new sandbox; make one that stays"},
        {"exec, attach", "Run a command in a sandbox, or a shell; come back to it"},
        {"sessions, logs, watch", "What runs and ran, what it wrote; how its files change"},
        {"forward, egress", "Reach a sandbox's ports; what it may reach outside"},
        {"cp, diff, apply", "Copy files; see and bring back changes"},
        {"ls, inspect, usage", "List sandboxes; everything about one; what they take"},
        {"start, stop, rm", "Start a stopped sandbox, end its processes, remove it"},
        {"pause, resume, reset", "Let one stand still and go on; clear one in error"},
        {"serve, service", "Run the daemon, here or as a service of systemd"},
        {"doctor, prune", "What this machine misses; what no sandbox needs"},
        {"image, config, token", "Images to start from; settings; the HTTP token"},
        {"version, completion", "Versions; completion for bash, zsh and fish"},
        {"help", "Help on a verb or a subject: cortex help settings"}
    };

    public static String overview() {
        StringBuilder text = new StringBuilder("Usage: cortex VERB [FLAGS] …\n\n");
        for (String[] line : OVERVIEW) {
            text.append("  ").append(padded(line[0], 22)).append(line[1]).append('\n');
        }
        text.append("\nEvery verb takes --json and --help.\n");
        text.append(wrapped("Subjects: ", Subjects.names())).append(EXAMPLES);
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
            text.append('\n').append(flags(verb.flags()));
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

    /** Flags that share a line stand behind each other; a long line's help does not push the others to the right. */
    private static String flags(List<Flag> flags) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < flags.size(); ) {
            Flag first = flags.get(i);
            StringBuilder names = new StringBuilder(shown(first));
            for (i++; i < flags.size() && flags.get(i).help().isEmpty(); i++) {
                names.append(", ").append(shown(flags.get(i)).strip());
            }
            text.append("  ").append(padded(names.toString(), COLUMN)).append(first.help());
            text.append(first.repeats() ? " (repeats)" : "").append('\n');
        }
        return text.toString();
    }

    private static String shown(Flag flag) {
        String letter = flag.letter() == 0 ? "    " : "-" + flag.letter() + ", ";
        return letter + "--" + flag.name() + (flag.takesValue() ? " " + flag.value() : "");
    }

    /** Words behind a title, on lines that fit. */
    private static String wrapped(String title, List<String> words) {
        StringBuilder text = new StringBuilder();
        String line = title;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i) + (i + 1 < words.size() ? ", " : "");
            if (line.length() + word.strip().length() > WIDTH) {
                text.append(line.stripTrailing()).append('\n');
                line = " ".repeat(title.length());
            }
            line += word;
        }
        return text.append(line).append('\n').toString();
    }

    private static String padded(String word, int width) {
        return word + " ".repeat(Math.max(2, width - word.length()));
    }
}
