# shellcheck shell=sh
# ./cortex where an archive of `./dev dist` was unpacked: nothing is built, and nothing is written into the folder, which
# may be read-only. What is remembered between two starts lies in the user's cache folder and is never needed: which JVM
# was found, and the start-up caches that its first start made. POSIX sh, sourced by ./cortex; callers set `root`.

case $root in
    *:*)
        echo "cortex: the path of this folder has a colon, which no class path can hold: $root" >&2
        echo '  fix: move it' >&2
        exit 125
        ;;
esac
read -r version <"$root/version" || exit 125
install=$root
script=$root/cortex
remembered=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/cortex/$version
aot_folder=$remembered/aot

classpath_of() {
    classpath=''
    while read -r jar; do classpath=$classpath${classpath:+:}$root/lib/$jar; done <"$root/lib/$1.list"
}

# known: the JVM that an earlier start of this very folder found is still there.
known() {
    { read -r place && read -r java_home; } 2>/dev/null <"$remembered/place" && [ "$place" = "$root" ] &&
        [ -x "$java_home/bin/java" ]
}

# With one line that says so, as a build in a clone would. Of several first starts one makes them, and the others go on.
make_caches() {
    mkdir "$remembered/making" 2>/dev/null || {
        [ -z "$(find "$remembered/making" -mmin +10 2>/dev/null)" ] || rmdir "$remembered/making"
        return 0
    }
    trap 'rmdir "$remembered/making"; exit 130' INT TERM HUP
    begun=$(date +%s)
    say "cortex: first start of $version"
    printf '  %-18s ' 'start-up caches' >&2
    . "$root/scripts/jvm.sh"
    . "$root/scripts/aot.sh"
    (train_caches) >"$remembered/aot.log" 2>&1
    # Tried is enough: a JVM that cannot make them does not hold up every start.
    : >"$aot_folder/tried"
    if [ -f "$aot_folder/daemon.serve.aot" ]; then mark='✓'; else mark='–'; fi
    printf '%s %2d s\n' "$mark" $(($(date +%s) - begun)) >&2
    rmdir "$remembered/making"
    trap - INT TERM HUP
}

if ! known; then
    # A shell asks because a key was pressed: nothing is looked for and nothing made.
    [ "${1:-},${2:-}" != completion,words ] || exit 1
    . "$root/scripts/machine.sh"
    jre_suffices=1
    java_home=$(need_jdk) || exit 125
    # Caches of another place or JVM are of no use.
    if mkdir -p "$remembered" 2>/dev/null && [ -w "$remembered" ]; then
        rm -rf -- "$aot_folder"
        mkdir -p "$aot_folder"
        printf '%s\n' "$root" "$java_home" >"$remembered/.place.$$" && mv -f "$remembered/.place.$$" "$remembered/place"
    fi
fi
if [ -d "$aot_folder" ] && [ ! -f "$aot_folder/tried" ] && [ "${1:-},${2:-}" != completion,words ] &&
    [ "${CORTEX_AOT:-}" != off ]; then
    . "$root/scripts/machine.sh"
    make_caches
fi
