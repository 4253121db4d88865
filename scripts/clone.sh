# shellcheck shell=sh
# ./cortex in a clone: builds what is missing or older than its sources. POSIX sh, sourced by ./cortex; callers set
# `root`, and `yes` where the user agreed to installing packages.

out=$root/out
install=$out
aot_folder=$out/aot

classpath_of() { read -r classpath <"$out/lib/$1.classpath"; }

# Fresh means: built here (a moved tree has stale paths), and no source is newer than the build's begin.
fresh() {
    [ -f "$out/stamp" ] && read -r built_at <"$out/stamp" && [ "$built_at" = "$root" ] || return 1
    [ -z "$(find "$root/pom.xml" "$root/dev" "$root/native" "$root/scripts" "$root"/*/pom.xml "$root"/*/src/main \
        -newer "$out/stamp" -print -quit 2>/dev/null)" ] || return 1
    read -r java_home <"$out/java-home" && [ -x "$java_home/bin/java" ]
}

if ! fresh && [ "${1:-},${2:-}" = completion,words ]; then
    # A shell asks because a key was pressed: what is there answers, and nothing is built.
    read -r java_home 2>/dev/null <"$out/java-home" && [ -x "$java_home/bin/java" ] && [ -f "$out/lib/cli.classpath" ] || exit 1
elif ! fresh; then
    CORTEX_YES=$yes "$root/dev" build --unless-fresh >&2 || exit 125
    read -r java_home <"$out/java-home" || exit 125
fi
