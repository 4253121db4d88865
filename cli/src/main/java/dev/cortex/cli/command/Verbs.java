package dev.cortex.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Every verb and every flag, in the order of help. */
public final class Verbs {
    private Verbs() {}

    /** Flags that every verb takes, anywhere before {@code --}. */
    public static final List<Flag> GLOBAL = List.of(
            Flag.on("json", "one JSON envelope on stdout instead of text"),
            Flag.on('y', "yes", "agree to what would be asked, such as installing a package"),
            Flag.of("home", "DIR", "the home folder, instead of CORTEX_HOME"),
            Flag.of("color", "WHEN", "auto, always or never"),
            Flag.on('h', "help", "this text"));

    private static final Flag IMAGE = Flag.of('I', "image", "IMAGE", "host, NAME, ./FOLDER or ./FILE.tar");
    private static final Flag DRIVER =
            Flag.of("driver", "DRIVER", "see: cortex help drivers").alias("mode");
    private static final Flag RUNTIME = Flag.of("runtime", "NAME", "").shared();
    private static final Flag MEMORY = Flag.of('m', "memory", "SIZE", "limits, as 512M or 1.5");
    private static final Flag CPUS = Flag.of("cpus", "N", "").shared();
    private static final Flag PIDS = Flag.of("pids", "N", "").shared();
    private static final Flag DISK = Flag.of("disk", "SIZE", "").shared();
    private static final Flag SECCOMP = Flag.of("seccomp", "LIST", "default, nested or debug; without sudo and root");
    private static final Flag NO_ROOT = Flag.on("no-root", "").shared();
    private static final Flag ENV = Flag.many('e', "env", "K=V", "environment; K alone: as it is here");
    private static final Flag USER = Flag.of('u', "user", "USER", "whose rights; where it begins");
    private static final Flag WORKDIR = Flag.of('w', "workdir", "DIR", "").shared();
    private static final Flag TIMEOUT = Flag.of("timeout", "TIME", "kill it with all its children, such as 5s");
    private static final Flag WORKSPACE =
            Flag.of("workspace", "DIR", "a copy of a folder, or it live: help workspaces");
    private static final Flag MOUNT = Flag.many("mount", "HOST:GUEST[:ro]", "").shared();
    private static final Flag ALLOW_HOST =
            Flag.many("allow-host", "HOST[:PORT]", "let it reach that name, or *.NAME: cortex help egress");
    private static final Flag LABEL = Flag.many('l', "label", "K=V", "").shared();
    private static final Flag TTY = Flag.on('t', "tty", "always, or never, allocate a terminal");
    private static final Flag NO_TTY = Flag.on('T', "no-tty", "").shared();
    private static final Flag STDIN = Flag.on('i', "stdin", "always, or never, forward stdin");
    private static final Flag NO_STDIN = Flag.on("no-stdin", "").shared();

    private static final List<Verb> ALL = List.of(
            Verb.of("run", "[--] [COMMAND [ARG…]]", 0, 0, "Run a command in a new sandbox and remove it afterwards")
                    .runsCommand()
                    .with(
                            Flag.of('n', "name", "NAME", "name it, which keeps its disk"),
                            IMAGE,
                            Flag.of("entrypoint", "CMD", "").shared(),
                            DRIVER,
                            RUNTIME,
                            MEMORY,
                            CPUS,
                            PIDS,
                            DISK,
                            SECCOMP,
                            NO_ROOT,
                            ENV,
                            LABEL,
                            WORKSPACE,
                            MOUNT,
                            ALLOW_HOST,
                            USER,
                            WORKDIR,
                            TIMEOUT,
                            TTY,
                            NO_TTY,
                            STDIN,
                            NO_STDIN)
                    .noting("Exit status: the program's; 128+n signal n, 124 timeout, 126 not executable,\n"
                            + "127 not found, 125 Cortex failed.")
                    .example(
                            "cortex run -- python3 -c 'print(6*7)'",
                            "echo hello | cortex run -- tr a-z A-Z",
                            "cortex run --memory 512M --timeout 10s -- sh -c 'nproc; free -m'"),
            Verb.of("create", "NAME", 1, 1, "Make a sandbox and start it")
                    .with(
                            IMAGE,
                            DRIVER,
                            RUNTIME,
                            MEMORY,
                            CPUS,
                            PIDS,
                            DISK,
                            SECCOMP,
                            NO_ROOT,
                            ENV,
                            LABEL,
                            WORKSPACE,
                            MOUNT,
                            ALLOW_HOST,
                            USER,
                            WORKDIR,
                            Flag.of("timeout", "TIME", "see: cortex help lifetimes"),
                            Flag.of("idle-timeout", "TIME", "").shared(),
                            Flag.of("then", "WHAT", "").shared(),
                            Flag.of("restart", "WHEN", "").shared(),
                            Flag.on("no-start", "leave it created"),
                            Flag.on("wipe", "delete a kept disk of that name first"))
                    .example(
                            "cortex create api",
                            "cortex create small --memory 512M --cpus 0.5 --pids 64",
                            "cortex create web --image ./rootfs.tar --env PORT=8080"),
            Verb.of("ls", "", 0, 0, "List sandboxes")
                    .with(Flag.on('a', "all", "disks that are kept for removed names too"))
                    .example("cortex ls", "cortex ls --all", "cortex ls --json"),
            Verb.of("inspect", "NAME", 1, 1, "Everything about one sandbox")
                    .example("cortex inspect api", "cortex inspect api --json", "cortex inspect api --json | less"),
            Verb.of("usage", "", 0, 0, "What machine, disks and sandboxes take, and what was promised")
                    .example("cortex usage", "cortex usage --json", "cortex ls --all"),
            Verb.of("start", "NAME…", 1, 1000, "Start a created or stopped sandbox")
                    .example("cortex start api", "cortex start api web", "cortex start api --json"),
            Verb.of("stop", "NAME…", 1, 1000, "End a sandbox's processes; its disk stays")
                    .with(Flag.of("grace", "TIME", "between TERM and KILL, default 2s"))
                    .example("cortex stop api", "cortex stop --grace 10s api", "cortex stop api web"),
            Verb.of("pause", "NAME…", 1, 1000, "Let a sandbox stand still, its memory kept")
                    .noting("Its sessions go on at resume, and attached clients wait for that. Meanwhile\n"
                            + "sessions, logs and inspect show what the host has; exec is refused.")
                    .example("cortex pause api", "cortex pause api web", "cortex pause api --json"),
            Verb.of("resume", "NAME…", 1, 1000, "Let a paused sandbox go on where it was")
                    .example("cortex resume api", "cortex resume api web", "cortex resume api --json"),
            Verb.of("reset", "NAME…", 1, 1000, "Clear a sandbox in error, so that it can be started")
                    .noting("What a failure left behind goes; the disk stays.")
                    .example("cortex reset api", "cortex reset api && cortex start api", "cortex reset api --json"),
            Verb.of("rm", "NAME…", 1, 1000, "Remove a sandbox; the disk of a named one stays")
                    .with(Flag.on('f', "force", "stop it first"), Flag.on("wipe", "delete its disk too"))
                    .example("cortex rm api", "cortex rm --force api web", "cortex rm --force --wipe api"),
            Verb.of("exec", "NAME [--] [COMMAND [ARG…]]", 1, 1, "Run a command in a sandbox; without one, a shell")
                    .runsCommand()
                    .with(
                            Flag.on('d', "detach", "print the session's id and leave it running"),
                            ENV,
                            USER,
                            WORKDIR,
                            TIMEOUT,
                            TTY,
                            NO_TTY,
                            STDIN,
                            NO_STDIN,
                            Flag.on("background", "does not keep the sandbox from being idle"),
                            Flag.of('l', "label", "TEXT", "label of the session"))
                    .noting("A terminal is allocated when stdin and stdout both are one. Ctrl-] twice leaves\n"
                            + "it, and the session goes on. Elsewhere Ctrl-C is a SIGINT for the program.")
                    .example(
                            "cortex exec api -- python3 --version",
                            "cortex exec api",
                            "cortex exec api --detach -- sh -c 'while :; do date; sleep 1; done'"),
            Verb.of("attach", "NAME SESSION", 2, 2, "Follow a session: its output so far, then live")
                    .programStatusToo()
                    .with(
                            Flag.of("from", "CURSOR", "begin at that byte of its output"),
                            Flag.on("live", "only what comes from now on"),
                            Flag.on("observe", "watch without typing"),
                            Flag.on("take", "take over from the client that holds it"),
                            Flag.on("no-stdin", "do not forward stdin"))
                    .example(
                            "cortex attach api s_7f",
                            "cortex attach api s_7f --from 18211",
                            "cortex attach api s_7f --observe"),
            Verb.of("sessions", "NAME [SESSION]", 1, 2, "List a sandbox's sessions, signal or forget one")
                    .with(
                            Flag.of("signal", "SIGNAL", "send it, such as TERM, INT or 9"),
                            Flag.on("all", "to every descendant, not the foreground alone"),
                            Flag.on("rm", "kill what is left of it and forget its output"))
                    .example(
                            "cortex sessions api",
                            "cortex sessions api s_7f --signal TERM",
                            "cortex sessions api s_7f --rm"),
            Verb.of("cp", "SOURCE TARGET", 2, 2, "Copy files and folders; NAME:PATH is inside, - is stdin or stdout")
                    .with(Flag.of('u', "user", "USER", "whose rights inside"))
                    .noting("Folders are copied whole, as cp -r does; SOURCE/. copies what is in one. A file\n"
                            + "is replaced in one step, once all of it has arrived.")
                    .example(
                            "cortex cp data.csv api:", "cortex cp api:out ./out", "echo hi | cortex cp - api:note.txt"),
            Verb.of("logs", "NAME [SESSION]", 1, 2, "Output that is kept of a session; without one, of the newest")
                    .with(Flag.on('f', "follow", "and what comes"), Flag.of('n', "tail", "N", "only the last N lines"))
                    .example("cortex logs api", "cortex logs api s_7f --tail 20", "cortex logs api --follow"),
            Verb.of("diff", "NAME [--] [PATH…]", 1, 1000, "What a sandbox changed in its workspace, as a patch")
                    .with(Flag.on("stat", "files and counts of lines alone"))
                    .noting("Since the copy was made, or last applied. What git ignores is left out, and so is\n"
                            + "every .git. PATHs are those of the diff. Off a terminal the patch is byte for byte.")
                    .example("cortex diff api", "cortex diff api --stat", "cortex diff api -- src > my.patch"),
            Verb.of("apply", "NAME [--] [PATH…]", 1, 1000, "Bring a workspace's changes back: all of them or none")
                    .with(
                            Flag.on("check", "say what would happen"),
                            Flag.of("branch", "B", "commit to a new branch, and leave the work tree alone"),
                            Flag.of('m', "message", "TEXT", "of that commit"),
                            Flag.on(
                                    "allow-hooks",
                                    "also what this machine would run by itself, links out of the folder"))
                    .noting("Changes of both sides come together where they do not touch; a conflict is told,\n"
                            + "and nothing is applied then. Cut off in the middle, the next apply takes it back.")
                    .example("cortex apply api --check", "cortex apply api", "cortex apply api --branch by-agent"),
            Verb.of("forward", "NAME PORT[:HERE]…", 2, 65, "Reach a sandbox's ports from this machine, until Ctrl-C")
                    .with(Flag.of("address", "ADDR", "listen there instead of 127.0.0.1"))
                    .noting("PORT is what a server inside listens on, at 127.0.0.1, ::1 or all addresses. It is\n"
                            + "the same here unless HERE says otherwise; 0 takes any that is free. It goes on\n"
                            + "over a stop and start of the sandbox, and over the daemon's.")
                    .example(
                            "cortex forward api 8080",
                            "cortex forward api 8080:9000 5432:0",
                            "cortex forward api 80:8000 --json"),
            Verb.of("watch", "NAME [PATH]", 1, 2, "Tell of changes to files in a sandbox, until Ctrl-C")
                    .with(
                            Flag.on("flat", "only what lies in the folder itself"),
                            Flag.of('u', "user", "USER", "whose rights inside"))
                    .noting("PATH is a folder or a file, the working directory without one. Folders that come\n"
                            + "later are watched too; links are not followed. rescan: something happened unseen\n"
                            + "there, look at all of it. With --json each change is a line of its own.")
                    .example("cortex watch api", "cortex watch api src --json", "cortex watch api /tmp --flat"),
            Verb.of("egress", "log|set|show NAME", 2, 2, "What a sandbox may reach outside, and what it asked for")
                    .with(
                            Flag.many("allow-host", "HOST[:PORT]", "set: let it reach that name, or *.NAME"),
                            Flag.many("drop-host", "HOST[:PORT]", "set: take a rule away"),
                            Flag.on("only", "set: what is allowed until now goes"),
                            Flag.on('f', "follow", "log: and what comes"),
                            Flag.of('n', "tail", "N", "log: only the last N"))
                    .noting("A change holds at once: connections that are not allowed any more are cut.")
                    .example(
                            "cortex egress log api --follow",
                            "cortex egress set api --allow-host pypi.org --allow-host '*.pythonhosted.org'",
                            "cortex egress set api --only"),
            Verb.of("prune", "", 0, 0, "Remove what no sandbox needs; without --apply only say what would go")
                    .with(
                            Flag.on("apply", "do it; --yes does too"),
                            Flag.on("disks", "disks that are kept for removed names too"),
                            Flag.on("images", "images that have no name and no user, layers of none"))
                    .noting("What no record knows (processes, mounts, control groups, folders of this home) goes;\n"
                            + "each is looked at again right before, and what is not certain is kept and named.\n"
                            + "Another home's things are never touched. The status is 1 when something is left.")
                    .example("cortex prune", "cortex prune --apply", "cortex prune --images --json"),
            Verb.of(
                            "image",
                            "import SOURCE | ls | inspect IMAGE | rm IMAGE…",
                            1,
                            1000,
                            "Images to start sandboxes from")
                    .with(
                            Flag.of('n', "name", "NAME", "import: name[:tag]; else those in the source"),
                            Flag.of("select", "NAME", "import: one of several in the source"),
                            Flag.of("config", "FILE", "import of a root: its OCI or docker config"),
                            Flag.many('e', "env", "K=V", "import of a root: environment"),
                            Flag.of('u', "user", "USER", "whose rights; where it begins"),
                            Flag.of('w', "workdir", "DIR", "").shared(),
                            Flag.of("entrypoint", "CMD", "what runs: words or a JSON array"),
                            Flag.of("cmd", "CMD", "").shared(),
                            Flag.many('l', "label", "K=V", "import of a root: label"))
                    .noting("SOURCE is an OCI layout, an archive of docker or podman save, a tar of a root\n"
                            + "file system, or - for stdin; gzip and zstd are read. See: cortex help images")
                    .example(
                            "cortex image import python.tar --name python",
                            "docker save app | cortex image import - --name app",
                            "cortex image ls"),
            Verb.of("serve", "", 0, 0, "Run the daemon; commands start it when none runs")
                    .doneElsewhere()
                    .with(
                            Flag.on("stop", "end the daemon that runs; its sandboxes go on"),
                            Flag.on("stop-sandboxes", "end its sandboxes too when it ends"),
                            Flag.of("port", "PORT", "on 127.0.0.1, instead of 3100"),
                            Flag.of("pool", "N", "sandboxes of each kind started ahead; 2, 0: none"))
                    .example("cortex serve", "cortex serve --stop", "cortex serve --port 3200"),
            Verb.of("service", "install|uninstall|status", 1, 1, "Run the daemon as a service of systemd")
                    .with(Flag.on("dry-run", "only show the unit and the commands"))
                    .noting("For root a unit of the system, else one of the user. Restarting or removing it leaves\n"
                            + "sandboxes running. status is 0 when the service is active.")
                    .example("cortex service install --dry-run", "cortex service status", "cortex service uninstall"),
            Verb.of("doctor", "", 0, 0, "What this machine can do, and what it misses")
                    .doneElsewhere()
                    .with(
                            Flag.on("fix", "do what can be done about it, and say what was done"),
                            Flag.of("capacity", "N", "which limits stand in the way of N sandboxes"))
                    .example("cortex doctor", "cortex doctor --capacity 1000", "cortex doctor --fix"),
            Verb.of(
                            "config",
                            "[get KEY | set KEY VALUE | unset KEY | trust [DIR]]",
                            0,
                            3,
                            "Settings with where each comes from")
                    .noting("A flag goes before a CORTEX_… variable, before .cortex/config.yaml of the\n"
                            + "project, before config.yaml of the home. See: cortex help settings")
                    .example("cortex config", "cortex config set image host", "cortex config trust"),
            Verb.of("token", "", 0, 0, "The bearer token of the HTTP interface")
                    .example(
                            "cortex token",
                            "cortex token --json",
                            "curl -H \"Authorization: Bearer $(cortex token)\" http://127.0.0.1:3100/api/v1/sandboxes"),
            Verb.of("version", "", 0, 0, "Versions of this command and of the daemon")
                    .example("cortex version", "cortex version --json", "cortex --version"),
            Verb.of("completion", "bash|zsh|fish", 1, 1000, "A script for the shell that completes verbs, flags, names")
                    .noting("For every shell to come:\n"
                            + "  bash  cortex completion bash > ~/.local/share/bash-completion/completions/cortex\n"
                            + "        (needs the package bash-completion; else eval it in ~/.bashrc)\n"
                            + "  zsh   cortex completion zsh > \"${fpath[1]}/_cortex\", then: rm -f ~/.zcompdump\n"
                            + "  fish  cortex completion fish > ~/.config/fish/completions/cortex.fish")
                    .example(
                            "eval \"$(cortex completion bash)\"",
                            "eval \"$(cortex completion zsh)\"",
                            "cortex completion fish | source"),
            Verb.of("help", "[VERB | SUBJECT]", 0, 1, "Help on a verb, or on a subject")
                    .example("cortex help", "cortex help exec", "cortex help settings"));

    public static List<Verb> all() {
        return ALL;
    }

    public static Optional<Verb> named(String name) {
        for (Verb verb : ALL) {
            if (verb.name().equals(name)) {
                return Optional.of(verb);
            }
        }
        return Optional.empty();
    }

    static List<String> names() {
        List<String> names = new ArrayList<>();
        for (Verb verb : ALL) {
            names.add(verb.name());
        }
        return names;
    }
}
