package dev.cortex.cli.completion;

import dev.cortex.cli.command.Subjects;
import dev.cortex.cli.command.Verb;
import dev.cortex.cli.command.Verbs;
import dev.cortex.cli.settings.Setting;
import java.util.ArrayList;
import java.util.List;

/** What can stand behind a verb. */
final class Operands {
    private static final Wish UNKNOWN = new Wish.Unknown();

    private Operands() {}

    /** @param before operands that stand there already */
    static Wish of(String verb, List<String> before) {
        int index = before.size();
        return switch (verb) {
            case "start" -> sandboxes("created", "stopped");
            case "stop" -> sandboxes("running", "paused");
            case "pause" -> sandboxes("running");
            case "resume" -> sandboxes("paused");
            case "reset" -> sandboxes("error");
            case "rm" -> sandboxes();
            case "exec", "inspect" -> index == 0 ? sandboxes() : UNKNOWN;
            case "forward" -> index == 0 ? sandboxes("running") : UNKNOWN;
            case "attach", "sessions", "logs" -> session(before);
            case "cp" -> index < 2 ? new Wish.Place() : UNKNOWN;
            case "diff", "apply" -> index == 0 ? sandboxes() : new Wish.Files();
            case "watch" -> watched(before);
            case "egress" -> egress(index);
            case "image" -> image(before);
            case "service" -> index == 0 ? Wish.Words.of("install", "uninstall", "status") : UNKNOWN;
            case "config" -> config(before);
            case "completion" -> index == 0 ? Wish.Words.of("bash", "zsh", "fish") : UNKNOWN;
            case "help" -> index == 0 ? subjects() : UNKNOWN;
            case "run" -> new Wish.Files();
            default -> UNKNOWN;
        };
    }

    private static Wish sandboxes(String... states) {
        return new Wish.Sandboxes(List.of(states));
    }

    private static Wish session(List<String> before) {
        return switch (before.size()) {
            case 0 -> sandboxes();
            case 1 -> new Wish.Sessions(before.getFirst());
            default -> UNKNOWN;
        };
    }

    private static Wish watched(List<String> before) {
        return switch (before.size()) {
            case 0 -> sandboxes("running");
            case 1 -> new Wish.Inside(before.getFirst());
            default -> UNKNOWN;
        };
    }

    private static Wish egress(int index) {
        return switch (index) {
            case 0 -> Wish.Words.of("log", "set", "show");
            case 1 -> sandboxes();
            default -> UNKNOWN;
        };
    }

    private static Wish image(List<String> before) {
        if (before.isEmpty()) {
            return Wish.Words.of("import", "ls", "inspect", "rm");
        }
        return switch (before.getFirst()) {
            case "import" -> before.size() == 1 ? new Wish.Files() : UNKNOWN;
            case "inspect" -> before.size() == 1 ? new Wish.Images(false) : UNKNOWN;
            case "rm" -> new Wish.Images(false);
            default -> UNKNOWN;
        };
    }

    private static Wish config(List<String> before) {
        if (before.isEmpty()) {
            return Wish.Words.of("get", "set", "unset", "trust");
        }
        if (before.size() > 1) {
            return UNKNOWN;
        }
        return before.getFirst().equals("trust") ? new Wish.Folders() : Wish.Words.of(Setting.keys());
    }

    private static Wish subjects() {
        List<Candidate> all = new ArrayList<>();
        for (Verb verb : Verbs.all()) {
            all.add(new Candidate(verb.name(), verb.summary()));
        }
        for (String subject : Subjects.names()) {
            all.add(new Candidate(subject, "a subject"));
        }
        return new Wish.Words(all);
    }
}
