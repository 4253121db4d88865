# shellcheck shell=sh
# What the scripts need to know of this machine: which JDK and Go it has, which system packages are missing, and
# whether the user agreed to install them. POSIX sh, sourced by ./cortex (slow paths only) and ./dev.
# Callers set `root`, the absolute path of the repository. Nothing here writes to stdout but what a function answers.

say() { printf '%s\n' "$*" >&2; }

# java_feature HOME: the feature number of the JDK there, read from its release file so that no JVM is started. Callers
# that build nothing set jre_suffices.
java_feature() {
    [ -x "$1/bin/java" ] && [ -r "$1/release" ] && { [ -n "${jre_suffices:-}" ] || [ -x "$1/bin/javac" ]; } || return 1
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# find_jdk: prints the home of a JDK 25 or newer; JAVA_HOME first, then java in PATH, then the usual folders, where
# exactly 25 goes before newer ones.
find_jdk() {
    for home in "${JAVA_HOME:-}" "$(path_jdk)"; do
        [ -n "$home" ] || continue
        feature=$(java_feature "$home") || continue
        if [ "${feature:-0}" -ge 25 ]; then
            printf '%s\n' "$home"
            return 0
        fi
    done
    newer=
    for home in /usr/lib/jvm/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* /opt/*; do
        feature=$(java_feature "$home") || continue
        if [ "${feature:-0}" -eq 25 ]; then
            printf '%s\n' "$home"
            return 0
        fi
        [ "${feature:-0}" -gt 25 ] && newer=$home
    done
    [ -n "$newer" ] && printf '%s\n' "$newer"
}

path_jdk() {
    java=$(command -v java) || return 0
    java=$(readlink -f -- "$java") || return 0
    printf '%s\n' "${java%/bin/java}"
}

# find_go: prints the path of a go that accepts native/go.mod (its own version, or a toolchain that it may fetch).
find_go() {
    for go in "$(command -v go)" /usr/local/go/bin/go /usr/lib/go-*/bin/go "${HOME:-/nonexistent}"/sdk/go*/bin/go \
        "${HOME:-/nonexistent}"/go/bin/go /snap/bin/go; do
        [ -x "$go" ] || continue
        if (cd "${root:?}/native" && "$go" env GOVERSION) >/dev/null 2>&1; then
            printf '%s\n' "$go"
            return 0
        fi
    done
    return 1
}

# consents TEXT: true when the user agreed to installing, by --yes (yes=1), by CI=true, or now on a terminal.
consents() {
    if [ "${yes:-}" = 1 ] || [ "${CI:-}" = true ]; then
        return 0
    fi
    [ -t 0 ] && [ -t 2 ] || return 1
    printf '%s [Y/n] ' "$1" >&2
    read -r answer || return 1
    case $answer in '' | [yY] | [yY][eE][sS]) return 0 ;; esac
    return 1
}

# as_root: the words to put before a command that needs root.
as_root() { [ "$(id -u)" = 0 ] || printf 'sudo '; }

# install_command PACKAGE...: the command that a user would type.
install_command() { printf '%s\n' "$(as_root)apt-get install -y --no-install-recommends $*"; }

# install_packages PACKAGE...: installs them without asking anything; output goes to stderr only when it fails.
install_packages() {
    command -v apt-get >/dev/null 2>&1 || { say "cortex: this machine has no apt-get; install by hand: $*"; return 1; }
    sudo=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || { say "cortex: not root and no sudo; as root, run: apt-get install -y $*"; return 1; }
        # Without a terminal sudo must not wait for a password.
        if [ -t 0 ]; then sudo=sudo; else sudo='sudo -n'; fi
    fi
    log=$(mktemp) || return 1
    # A new machine has no package lists; an old one may have stale ones: refresh when the first try fails.
    if apt_get_install "$@" >"$log" 2>&1 || { $sudo apt-get update && apt_get_install "$@"; } >"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
}

apt_get_install() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" </dev/null
}

# first_available PACKAGE...: the first of them that apt could install.
first_available() {
    for package in "$@"; do
        candidate=$(apt-cache policy "$package" 2>/dev/null | sed -n 's/^  Candidate: //p')
        case $candidate in '' | '(none)') ;; *) printf '%s\n' "$package"; return 0 ;; esac
    done
    return 1
}

# need_tool NAME FINDER REMEDY PACKAGE...: prints what FINDER finds; else offers the first of the packages that this
# machine's package manager knows; else says what to do. Exit 125 is Cortex's own "could not".
need_tool() {
    name=$1 finder=$2 remedy=$3
    shift 3
    if $finder; then return 0; fi
    if package=$(first_available "$@"); then
        command=$(install_command "$package")
        if consents "cortex: $name is missing. Install it now? It runs: $command" && install_packages "$package" && $finder; then
            return 0
        fi
        say "cortex: not ready: $name is missing"
        say "  fix: $command        (or run again with --yes)"
    else
        say "cortex: not ready: $name is missing"
        say "  fix: $remedy"
    fi
    return 125
}

need_jdk() {
    need_tool 'Java 25' find_jdk \
        'install a JDK 25 or newer (https://adoptium.net), or set JAVA_HOME to one' \
        openjdk-25-jdk-headless temurin-25-jdk
}

need_go() {
    need_tool 'Go 1.26' find_go \
        'install Go 1.26 or newer (https://go.dev/dl), and put it into PATH' \
        golang-1.26-go
}

# offer_packages PACKAGE...: installs them when the user agrees; otherwise says nothing and changes nothing.
offer_packages() {
    if [ "${yes:-}" = 1 ] || [ "${CI:-}" = true ]; then
        say "cortex: installing $*"
    fi
    if consents "cortex: $* is missing. Install it now? It runs: $(install_command "$@")"; then
        install_packages "$@"
    fi
}
