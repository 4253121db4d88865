package dev.cortex.cli.command;

/** Scripts for shells, made from the table of verbs. Names of sandboxes come from {@code cortex completion names}. */
public final class Completion {
    private Completion() {}

    /** Verbs whose operands are names of sandboxes. */
    private static final String NAMED = "inspect|start|stop|rm|exec|attach|sessions|logs|cp|forward|watch|diff|apply";

    public static String bash() {
        return """
            # eval "$(cortex completion bash)"
            _cortex() {
                local word=${COMP_WORDS[COMP_CWORD]} verb= i
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case ${COMP_WORDS[i]} in
                        --) return ;;
                        -*) ;;
                        *) verb=${COMP_WORDS[i]}; break ;;
                    esac
                done
                if [[ $word == -* ]]; then
                    case $verb in
            %s        *) COMPREPLY=($(compgen -W '%s' -- "$word")) ;;
                    esac
                    return
                fi
                case $verb in
                    '') COMPREPLY=($(compgen -W '%s' -- "$word")) ;;
                    attach|sessions|logs)
                        local -a said=()
                        for ((i++; i < COMP_CWORD; i++)); do
                            [[ ${COMP_WORDS[i]} == -* ]] || said+=("${COMP_WORDS[i]}")
                        done
                        if ((${#said[@]} == 1)); then
                            COMPREPLY=($(compgen -W "$(cortex completion sessions "${said[0]}" 2>/dev/null)" -- "$word"))
                        elif ((${#said[@]} == 0)); then
                            COMPREPLY=($(compgen -W "$(cortex completion names 2>/dev/null)" -- "$word"))
                        fi ;;
                    %s) COMPREPLY=($(compgen -W "$(cortex completion names 2>/dev/null)" -- "$word")) ;;
                    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")) ;;
                    service) COMPREPLY=($(compgen -W 'install uninstall status' -- "$word")) ;;
                    config) COMPREPLY=($(compgen -W 'get set unset trust' -- "$word")) ;;
                    egress) COMPREPLY=($(compgen -W "log set show $(cortex completion names 2>/dev/null)" -- "$word")) ;;
                    image)
                        if ((COMP_CWORD == i + 1)); then
                            COMPREPLY=($(compgen -W 'import ls inspect rm' -- "$word"))
                        elif [[ ${COMP_WORDS[i + 1]} == inspect || ${COMP_WORDS[i + 1]} == rm ]]; then
                            COMPREPLY=($(compgen -W "$(cortex completion images 2>/dev/null)" -- "$word"))
                        fi ;;
                    help) COMPREPLY=($(compgen -W '%s' -- "$word")) ;;
                esac
            }
            complete -o default -F _cortex cortex ./cortex
            """.formatted(
                bashFlags(), flags(Verbs.GLOBAL), verbs(), NAMED, verbs() + " " + String.join(" ", Subjects.names()));
    }

    private static String bashFlags() {
        StringBuilder cases = new StringBuilder();
        for (Verb verb : Verbs.all()) {
            cases.append("            ").append(verb.name()).append(") COMPREPLY=($(compgen -W '");
            cases.append(flags(verb.flags()))
                    .append(' ')
                    .append(flags(Verbs.GLOBAL))
                    .append("' -- \"$word\")) ;;\n");
        }
        return cases.toString();
    }

    public static String zsh() {
        StringBuilder text = new StringBuilder("#compdef cortex\n# eval \"$(cortex completion zsh)\"\n_cortex() {\n");
        text.append("    local -a verbs\n    verbs=(\n");
        for (Verb verb : Verbs.all()) {
            text.append("        '")
                    .append(verb.name())
                    .append(':')
                    .append(quoted(verb.summary()))
                    .append("'\n");
        }
        text.append("    )\n    if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n    case $words[2] in\n");
        for (Verb verb : Verbs.all()) {
            text.append("        ").append(verb.name()).append(") [[ $PREFIX == -* ]] && compadd -- ");
            text.append(flags(verb.flags()))
                    .append(' ')
                    .append(flags(Verbs.GLOBAL))
                    .append(" ;;\n");
        }
        text.append("    esac\n    case $words[2] in\n");
        text.append("        attach|sessions|logs) if (( CURRENT == 3 )); then ")
                .append("compadd -- ${(f)\"$(cortex completion names 2>/dev/null)\"}\n")
                .append(
                        "            else compadd -- ${(f)\"$(cortex completion sessions $words[3] 2>/dev/null)\"}; fi ;;\n");
        text.append("        ").append(NAMED);
        text.append(") compadd -- ${(f)\"$(cortex completion names 2>/dev/null)\"} ;;\n");
        text.append("        completion) compadd bash zsh fish ;;\n        config) compadd get set unset trust ;;\n");
        text.append("        egress) compadd log set show ${(f)\"$(cortex completion names 2>/dev/null)\"} ;;\n");
        text.append("        service) compadd install uninstall status ;;\n");
        text.append("        image) if (( CURRENT == 3 )); then compadd import ls inspect rm\n")
                .append("            elif [[ $words[3] == (inspect|rm) ]]; then ")
                .append(
                        "compadd -- ${(f)\"$(cortex completion images 2>/dev/null)\"}\n            else _files; fi ;;\n");
        text.append("    esac\n    [[ $words[2] == (cp|run|create) ]] && _files\n}\ncompdef _cortex cortex\n");
        return text.toString();
    }

    public static String fish() {
        StringBuilder text = new StringBuilder("# cortex completion fish | source\n");
        text.append("complete -c cortex -n __fish_use_subcommand -f\n");
        for (Verb verb : Verbs.all()) {
            text.append("complete -c cortex -n __fish_use_subcommand -a ").append(verb.name());
            text.append(" -d '").append(quoted(verb.summary())).append("'\n");
            for (Flag flag : verb.flags()) {
                fishFlag(text, "__fish_seen_subcommand_from " + verb.name(), flag);
            }
        }
        for (Flag flag : Verbs.GLOBAL) {
            fishFlag(text, "", flag);
        }
        text.append("complete -c cortex -n '__fish_seen_subcommand_from ").append(NAMED.replace('|', ' '));
        text.append("' -a '(cortex completion names 2>/dev/null)'\n");
        text.append("complete -c cortex -n '__fish_seen_subcommand_from egress' -a 'log set show");
        text.append(" (cortex completion names 2>/dev/null)'\n");
        text.append("complete -c cortex -n '__fish_seen_subcommand_from image' -a 'import ls inspect rm'\n");
        text.append(
                "complete -c cortex -n '__fish_seen_subcommand_from inspect rm; and __fish_seen_subcommand_from image'");
        text.append(" -a '(cortex completion images 2>/dev/null)'\n");
        return text.toString();
    }

    private static void fishFlag(StringBuilder text, String condition, Flag flag) {
        text.append("complete -c cortex");
        if (!condition.isEmpty()) {
            text.append(" -n '").append(condition).append('\'');
        }
        text.append(" -l ").append(flag.name());
        if (flag.letter() != 0) {
            text.append(" -s ").append(flag.letter());
        }
        text.append(flag.takesValue() ? " -r" : "")
                .append(" -d '")
                .append(quoted(flag.help()))
                .append("'\n");
    }

    private static String verbs() {
        return String.join(" ", Verbs.names());
    }

    private static String flags(Iterable<Flag> flags) {
        StringBuilder names = new StringBuilder();
        for (Flag flag : flags) {
            names.append(names.isEmpty() ? "--" : " --").append(flag.name());
        }
        return names.toString();
    }

    private static String quoted(String text) {
        return text.replace("'", "'\\''");
    }
}
