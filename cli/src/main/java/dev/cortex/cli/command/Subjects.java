package dev.cortex.cli.command;

import java.util.List;
import java.util.Optional;

/** What {@code cortex help SUBJECT} explains: a subject, not a flag. */
public final class Subjects {
    private Subjects() {}

    public static List<String> names() {
        return List.of(
                "settings",
                "daemon",
                "status",
                "terminals",
                "drivers",
                "rights",
                "images",
                "files",
                "workspaces",
                "lifetimes",
                "egress",
                "json");
    }

    static Optional<String> text(String name) {
        return switch (name) {
            case "settings" -> Optional.of(SETTINGS);
            case "daemon" -> Optional.of(DAEMON);
            case "status" -> Optional.of(STATUS);
            case "terminals" -> Optional.of(TERMINALS);
            case "drivers" -> Optional.of(DRIVERS);
            case "rights" -> Optional.of(RIGHTS);
            case "images" -> Optional.of(IMAGES);
            case "files" -> Optional.of(FILES);
            case "workspaces" -> Optional.of(WORKSPACES);
            case "lifetimes" -> Optional.of(LIFETIMES);
            case "egress" -> Optional.of(EGRESS);
            case "json" -> Optional.of(JSON);
            default -> Optional.empty();
        };
    }

    private static final String SETTINGS = """
            Where a sandbox's settings come from, the first that has one:

              a flag      --image --driver --memory --cpus --pids --disk --seccomp --user
                          --workdir --workspace
              a variable  CORTEX_IMAGE, CORTEX_DRIVER (or CORTEX_MODE), CORTEX_RUNTIME,
                          CORTEX_MEMORY, CORTEX_CPUS, CORTEX_PIDS, CORTEX_DISK,
                          CORTEX_SECCOMP, CORTEX_USER, CORTEX_WORKDIR, CORTEX_WORKSPACE
              a project   .cortex/config.yaml, here or up to the root of the repository
              the home    config.yaml in CORTEX_HOME, which is /var/lib/cortex for root
                          and ~/.local/share/cortex for others
              a default   host, auto, 2G, all cpus, 1024 processes, 10G

            Keys in files: image, driver, runtime, seccomp, user, workdir, workspace,
            limits.memory, limits.cpus, limits.pids, limits.disk, egress.allow, env.NAME; in
            the home also the daemon's: cortex help daemon. A project's file sets image,
            limits and a workspace within the project; the others once you trusted it.

            Examples:
              cortex config
              cortex config set limits.memory 4G
              cortex config trust
            """;

    private static final String DAEMON = """
            What the daemon is told: flags of serve, then variables, then config.yaml of the
            home. It reads them when it starts.

              daemon.port       CORTEX_PORT       on 127.0.0.1, default 3100
              daemon.disk-pool  CORTEX_DISK_POOL  auto, folder or btrfs
              daemon.pool       CORTEX_POOL       sandboxes of each kind started ahead, 2
              daemon.launchers  CORTEX_LAUNCHERS  processes that wait for the next start, 1
              daemon.log-size   CORTEX_LOG_SIZE   a fuller daemon.log is put aside, 16M
              daemon.log-files  CORTEX_LOG_FILES  so many are kept besides, 7
              daemon.log-age    CORTEX_LOG_AGE    older ones are deleted, 14d or 36h

            A log is put aside each day as well. Figures for Prometheus are at /metrics;
            docs/operations.md has alerts, upgrades and backups.

            Examples:
              cortex config set daemon.log-size 64M
              cortex serve --stop
              curl -H "Authorization: Bearer $(cortex token)" localhost:3100/metrics
            """;

    private static final String LIFETIMES = """
            How long a sandbox lives by itself; flags of create.

              --timeout TIME       its life at most, from each start or resume on
              --idle-timeout TIME  without activity at most: no running session, no
                                   bytes from a client, no traffic on a forwarded port
              --then WHAT          at the end of either: stop (default), pause or remove
              --restart on-boot    start it when the machine is up again, if it ran

            A session keeps its sandbox from being idle whether somebody is attached or
            not, unless it was started with exec --background. Looking at a sandbox (ls,
            inspect, logs) does not. A pause is no idle time, but does not lengthen a
            life. The disk of a name stays when its sandbox is removed. WHY in cortex ls
            says why it still lives, or why it stopped.

            Examples:
              cortex create api --idle-timeout 1h --then pause
              cortex create job --timeout 8h --then remove
              cortex create db --restart on-boot
            """;

    private static final String STATUS = """
            What the exit status says.

              run, exec, attach  the program's own; 128+n when signal n ended it;
                                 124 after its timeout; 126 not executable; 127 not found;
                                 125 when Cortex failed, the command line was wrong, or
                                 nobody knows the result
              other verbs        0 done, 1 failed, 2 the command line was wrong
              any verb           130 after Ctrl-C, 141 when nobody reads stdout

            Examples:
              cortex run -- sh -c 'exit 3'; echo $?
              cortex run --timeout 1s -- sleep 9; echo $?
              cortex run -- no-such-program; echo $?
            """;

    private static final String TERMINALS = """
            A session is one process in a sandbox, with its output. It goes on when its
            client ends, and when the daemon does; what it writes is kept, and its status.

              on a terminal  Ctrl-] twice leaves a session; cortex attach comes back
              elsewhere      Ctrl-C reaches the program as SIGINT, a second one too; a
                             third one leaves an exec and kills a run. SIGTERM leaves
                             an exec, and is handed on by a run
              A lost connection is made again by itself, at the byte where it was.
              One client holds a session; others watch (--observe) or take over (--take).

            Examples:
              cortex exec api --detach -- sh -c 'while :; do date; sleep 1; done'
              cortex sessions api
              cortex logs api --tail 5
            """;

    private static final String DRIVERS = """
            A driver is a kind of isolation.

              auto      the strongest that is ready on this machine; never process
              oci       a container of an OCI runtime: namespaces, no capabilities,
                        seccomp, limits, no network but what is allowed by name
              oci/runsc the same on a kernel of its own (gVisor), which auto prefers
                        where the daemon is root's; cortex doctor --fix builds it
              oci/crun, oci/runc
                        the same, with that runtime, on the host's kernel
              process   a child process with a clean environment. This is no isolation,
                        and refused unless CORTEX_ALLOW_INSECURE_PROCESS=1 is set

            auto chooses once, when a sandbox is made: its later starts take the same
            (DRIVER of cortex ls; driver and runtime of cortex inspect NAME --json).

            Examples:
              cortex doctor
              cortex run --driver oci/crun -- id
              cortex config set driver oci
            """;

    private static final String RIGHTS = """
            Who sessions are, and which system calls they may make.

              agent      the user of every session unless the image or --user says
                         otherwise: no capability, and no way to get one
              root       of the sandbox only, with what package managers need: a session
                         with --user root, or sudo inside. --no-root switches both off

              --seccomp default  what programs, compilers and servers need
                        nested   also user namespaces and mounts in them: a browser's own
                                 sandbox, bubblewrap
                        debug    also tracing one's own processes: gdb, strace
              docs/seccomp.md has the table. The neuron is beyond all of them.

            Examples:
              cortex exec --user root api -- apt-get install -y ./tool.deb
              cortex exec api -- sudo apt-get install -y ./tool.deb
              cortex create browser --seccomp nested --no-root
            """;

    private static final String IMAGES = """
            An image is the root file system that a sandbox starts from. It stays as it
            is; a sandbox's writes go to its disk.

              host      this machine's own /usr, read-only, and the few files of /etc that
                        programs need; nothing of /home, /root, /opt or /var
              NAME      an image that was imported; NAME@sha256:… or sha256:… for one
                        whatever its name means later
              ./PATH    a folder with a root file system, or an archive: a tar of one, an
                        OCI layout, what docker save made; it is imported without a name

            Its environment, working directory, user, entrypoint and command hold unless
            a flag says otherwise. run hands its command to the entrypoint, as docker run
            does; exec never does.

            Examples:
              cortex image import python.tar --name python
              cortex run --image python -- python3 --version
              cortex create web --image ./rootfs.tar
            """;

    private static final String FILES = """
            Copying between here and a sandbox, or between two.

              NAME:PATH  inside, from the working directory where it is relative
              PATH       here; ./a:b where it has a colon
              -          stdin or stdout, for one file
              SOURCE/.   what is in a folder, not the folder itself

            A folder is copied whole, into the target where that is one, as cp -r does.
            A file appears whole or not at all. Nothing is written outside of the target,
            whatever links and names come from a sandbox.

            Examples:
              cortex cp ./src api:
              cortex cp api:out/result.csv .
              cortex cp api:data other:data
            """;

    private static final String WORKSPACES = """
            Two ways to let a sandbox work on a folder of this machine.

              --workspace DIR      a copy, uncommitted and untracked files of a checkout
                                   included, ignored ones not; its place inside is the
                                   working directory. cortex diff shows what changed
                                   there, cortex apply brings it back
              --mount HOST:GUEST   the folder itself, live. :ro lets nothing be changed;
                                   what this machine would run by itself (.git/hooks,
                                   .envrc, …) cannot be, unless :hooks is added

            The copy has a .git of its own, with commits, branches and tags, and without
            remotes, hooks and configuration of this machine's.

            Examples:
              cortex create api --workspace .
              cortex diff api --stat
              cortex apply api --check && cortex apply api
            """;

    private static final String EGRESS = """
            Nothing gets out of a sandbox but by name, through this machine, and only what
            is allowed. What is not is refused at once, and the refusal says what would
            allow it. Programs inside find their way by http_proxy and its like.

              pypi.org              that name, ports 80 and 443
              *.npmjs.org           every name beneath it, and not itself
              db.example:5432       that port alone; :* any
              10.0.0.7:8080         an address, if programs ask for it as one
              db.corp.example@private   the name may lead to a private address
              host.cortex.internal:8080 this machine's own 127.0.0.1

            egress.allow of a settings file holds a list, CORTEX_ALLOW_HOST names with
            blanks between; a project's file must be trusted. Flags add to them.

            Examples:
              cortex create api --allow-host pypi.org --allow-host '*.pythonhosted.org'
              cortex egress log api --follow
              cortex egress set api --drop-host pypi.org
            """;

    private static final String JSON = """
            With --json each verb prints one line of JSON on stdout, its errors too:

              {"schema_version":1,"kind":"sandbox","data":{…}}
              {"schema_version":1,"kind":"error","error":{"code":"NOT_FOUND",
               "message":"…","cause":"…","remedy":"…"}}

            run and exec then keep the program's output, up to 1 MiB of each stream, and
            print it in the envelope once the program has ended. The exit status is the
            same as without.

            Examples:
              cortex ls --json
              cortex exec api --json -- python3 --version
              cortex inspect nobody --json
            """;
}
