#!/bin/sh
# Puts `cortex` and its completion into this user's reach (root: everybody's) and makes the start-up caches now. The folder
# stays where it is: it is what runs. Goes into the archive of `./dev dist`.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
prefix=''
case ${1:-} in
    '') ;;
    --prefix)
        prefix=${2:?"install.sh: --prefix needs a folder"}
        ;;
    *)
        echo 'Usage: ./install.sh [--prefix DIR]      default: /usr/local for root, else ~/.local' >&2
        [ "$1" = --help ] || exit 2
        exit 0
        ;;
esac
if [ -z "$prefix" ]; then
    if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fi

# link FILE TARGET: only over what is missing, or a link.
link() {
    mkdir -p "${1%/*}"
    if [ -e "$1" ] && [ ! -L "$1" ]; then
        echo "install.sh: $1 exists and is not a link of ours; remove it, or choose another --prefix" >&2
        exit 1
    fi
    ln -sfn "$2" "$1"
    echo "cortex: $1" >&2
}

link "$prefix/bin/cortex" "$root/cortex"
link "$prefix/share/bash-completion/completions/cortex" "$root/completions/cortex.bash"
link "$prefix/share/zsh/site-functions/_cortex" "$root/completions/_cortex"
link "$prefix/share/fish/vendor_completions.d/cortex.fish" "$root/completions/cortex.fish"
"$root/cortex" version >/dev/null
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "  $prefix/bin is not in PATH; add it: export PATH=\"$prefix/bin:\$PATH\"" >&2 ;;
esac
