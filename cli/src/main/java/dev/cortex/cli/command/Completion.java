package dev.cortex.cli.command;

/**
 * Scripts for shells. Each hands the line to {@code cortex completion words} and shows the answer: its first line says
 * whether files of this machine would do too ({@code :files}, {@code :folders} or {@code :words}), each further one is a
 * candidate, a tab, and what is said of it. Names in it may be chosen by what runs in a sandbox, so that no shell ever
 * expands one.
 */
public final class Completion {
    private Completion() {}

    public static String bash() {
        return """
            # For this shell: eval "$(cortex completion bash)"
            # For all: cortex completion bash > ~/.local/share/bash-completion/completions/cortex
            _cortex() {
                local line=${COMP_LINE:0:COMP_POINT} program=${COMP_WORDS[0]/#~\\//$HOME/} kind='' word about answer broken
                local -a typed
                read -r -a typed <<<"$line"
                [[ $line == *[[:space:]] ]] && typed+=('')
                word=${typed[${#typed[@]}-1]}
                # Readline replaces only what stands behind the last of these.
                broken=${word%"${word##*[:=]}"}
                COMPREPLY=()
                answer=$("$program" completion words -- "${typed[@]:1}" 2>/dev/null) || return
                while IFS=$'\\t' read -r word about; do
                    if [[ -z $kind ]]; then kind=$word; continue; fi
                    [[ $word == *[:/=] ]] && compopt -o nospace
                    printf -v word %q "${word#"$broken"}"
                    COMPREPLY+=("$word")
                done <<<"$answer"
                # What readline does by itself where there is nothing to choose from.
                if ((${#COMPREPLY[@]} == 0)); then
                    case $kind in
                        :files) compopt -o default ;;
                        :folders) compopt -o dirnames ;;
                    esac
                elif [[ $kind == :files ]]; then
                    while read -r word; do
                        printf -v word %q "$word"
                        COMPREPLY+=("$word")
                    done < <(compgen -f -- "${typed[${#typed[@]}-1]}")
                fi
            }
            complete -F _cortex cortex ./cortex
            """;
    }

    public static String zsh() {
        return """
            #compdef cortex
            # For this shell, behind compinit: eval "$(cortex completion zsh)"
            # For all: cortex completion zsh > "${fpath[1]}/_cortex"
            _cortex() {
                local program=${words[1]/#\\~\\//$HOME/} kind line word
                local -a typed lines open closed openShown closedShown
                typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
                lines=("${(@f)$("$program" completion words -- "${typed[@]}" 2>/dev/null)}")
                kind=$lines[1]
                shift lines
                for line in "${lines[@]}"; do
                    word=${line%%$'\\t'*}
                    [[ $line == *$'\\t'* ]] && line="$word  -- ${line#*$'\\t'}"
                    if [[ $word == *[:/=] ]]; then
                        open+=("$word"); openShown+=("$line")
                    else
                        closed+=("$word"); closedShown+=("$line")
                    fi
                done
                local found=1
                (( $#closed )) && compadd -l -d closedShown -a closed && found=0
                (( $#open )) && compadd -S '' -l -d openShown -a open && found=0
                case $kind in
                    :files) _files && found=0 ;;
                    :folders) _files -/ && found=0 ;;
                esac
                return found
            }
            if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _cortex "$@"; else compdef _cortex cortex; fi
            """;
    }

    public static String fish() {
        return """
            # For this shell: cortex completion fish | source
            # For all: cortex completion fish > ~/.config/fish/completions/cortex.fish
            function __cortex_words
                set -l typed (commandline -opc)
                set -l program (string replace -r '^~/' "$HOME/" -- $typed[1])
                set -e typed[1]
                set -l current (commandline -ct)
                set -l lines ($program completion words -- $typed "$current" 2>/dev/null)
                switch "$lines[1]"
                    case :files
                        __fish_complete_path "$current"
                    case :folders
                        __fish_complete_directories "$current"
                end
                set -e lines[1]
                printf '%s\\n' $lines
            end
            complete -c cortex -f -a '(__cortex_words)'
            """;
    }
}
