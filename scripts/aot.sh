# shellcheck shell=sh
# Makes the start-up caches of the JVM, by a training run of the real commands. Without a cache everything works, later.
# POSIX sh, sourced by ./dev and, where Cortex was unpacked, by ./cortex. Callers have sourced jvm.sh and set
#   java_home   of the JVM that will use them
#   install     the folder with bin/ and version
#   script      the command `cortex`
#   aot_folder  where they go; exists
# and define `classpath_of PART`, which sets classpath. Nothing here is written to stdout.

# train_caches: makes those that are missing. Its words are for a log.
train_caches() {
    for part in cli daemon; do
        set +e
        (
            set -e
            without_wishes
            "train_$part"
        )
        status=$?
        set -e
        [ $status = 0 ] || echo "no start-up cache of the $part could be made"
    done
}

# without_wishes: what is trained does not depend on the settings of whoever happens to be first, in variables or, as a
# project's file, in the folder where they are.
without_wishes() {
    for name in $(env | sed -n 's/^\(CORTEX_[A-Z_]*\)=.*/\1/p'); do
        unset "$name"
    done
    cd /
}

# jvm PART WORD...: the JVM as ./cortex starts it, with the class path of that part.
jvm() {
    classpath_of "$1"
    shift
    # shellcheck disable=SC2086,SC2154 # flags are words; they are jvm.sh's
    LC_ALL=C.UTF-8 exec "$java_home/bin/java" $jvm_flags $jvm_cli $jvm_log \
        -Dcortex.install="$install" -Dcortex.script="$script" -cp "$classpath" "$@" </dev/null
}

# archive PART NAME: makes the cache from what a training run recorded. Recording and making are two steps here, because
# the JVM's own single step hands the class path on in a variable, where a space ends it.
archive() {
    (jvm "$1" -XX:AOTMode=create -XX:AOTConfiguration="$aot_folder/.$2.config" -XX:AOTCache="$aot_folder/.$2.aot")
    rm -f "$aot_folder/.$2.config"
    mv -f "$aot_folder/.$2.aot" "$aot_folder/$2.aot"
}

# The command's cache comes from one run of its verbs in one JVM.
train_cli() {
    [ ! -f "$aot_folder/cli.cortex.aot" ] || return 0
    scratch=$(mktemp -d)
    trap 'rm -rf -- "$scratch"' EXIT
    (jvm cli -XX:AOTMode=record -XX:AOTConfiguration="$aot_folder/.cli.cortex.config" \
        dev.cortex.cli.training.Training "$scratch")
    archive cli cli.cortex
}

# The daemon's cache comes from a real daemon in a home of its own. It recovers what one before it left running when it was
# killed, and then does what clients ask for most. One sandbox is a plain child process, which needs no runtime and no
# rights; the other is of the usual driver, where this machine can make one.
train_daemon() {
    [ ! -f "$aot_folder/daemon.serve.aot" ] || return 0
    home=$(mktemp -d)
    trained=''
    trap 'untrain "$home"' EXIT
    export CORTEX_HOME="$home" CORTEX_DRIVER=process CORTEX_ALLOW_INSECURE_PROCESS=1 CORTEX_DISK_POOL=folder CORTEX_POOL=0
    export CORTEX_PORT=0 # of a daemon that a client starts because ours has ended
    training_daemon
    (training create plain)
    (training create usual --driver oci/crun --allow-host example.com) || true
    for sandbox in plain usual; do
        (training exec $sandbox --detach -- sh -c 'while sleep 0.05; do echo line; done') || true
    done
    kill -9 "$trained"
    wait "$trained" || true
    training_daemon -XX:AOTMode=record -XX:AOTConfiguration="$aot_folder/.daemon.serve.config"
    for sandbox in usual plain; do
        train_on $sandbox "$home" || true
    done
    (training exec usual -- sh -c 'curl -sm 2 http://denied.example/') || true
    (training run -- true)
    (training ls --all)
    (training usage)
    (training rm --force --wipe plain usual) || true
    kill "$trained"
    wait "$trained" || true
    trained=''
    archive daemon daemon.serve
}

# train_on SANDBOX FOLDER: what clients do with one that was recovered, above all.
train_on() {
    (training inspect "$1")
    (training sessions "$1")
    (training exec "$1" -- true)
    (training exec "$1" -- sh -c 'cat /dev/null; echo words >&2; exit 3') || true
    printf 'content\n' >"$2/content"
    (training cp "$2/content" "$1:content")
    (training cp "$1:content" "$2/copy")
    mkdir -p "$2/folder"
    (training cp "$2/folder" "$1:folder")
    (training logs "$1" "$(training sessions "$1" | sed -n '2s/ .*//p')")
    (training inspect nobody) || true
    (training stop "$1")
    (training start "$1")
    (training exec "$1" -- true)
}

training() { jvm cli -XX:AOTCache="$aot_folder/cli.cortex.aot" dev.cortex.cli.Cortex "$@"; }

# training_daemon FLAG...: starts it with these flags of the JVM, and waits until it serves.
training_daemon() {
    tries=0
    (jvm daemon "$@" dev.cortex.daemon.Serve --port 0) 2>"$home/ready" &
    trained=$!
    until grep -q '^cortex: serving ' "$home/ready"; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] && kill -0 "$trained" || {
            cat "$home/ready"
            return 1
        }
        sleep 0.1
    done
}

# Whatever the training was cut off at, nothing of it stays: a sandbox outlives its daemon.
untrain() {
    if [ -n "$trained" ]; then
        (training rm --force --wipe plain usual) || true
        kill "$trained" || true
        wait "$trained" || true
        (training serve --stop) || true
    fi
    rm -rf -- "$1"
}
