package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Ways out of a sandbox and at its neuron, as {@code agent} and as its root, each with the refusal that it must get. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AttackContract {
    private static final List<String> USERS = List.of("agent", "root");

    /** What every program begins with: system calls by number of x86-64, answered by the name of their error. */
    private static final String PRELUDE = """
            import ctypes, errno, os
            libc = ctypes.CDLL(None, use_errno=True)
            def call(number, *arguments):
                ctypes.set_errno(0)
                given = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_long(a) for a in arguments]
                libc.syscall.restype = ctypes.c_long
                result = libc.syscall(ctypes.c_long(number), *given)
                return errno.errorcode.get(ctypes.get_errno(), '?') if result < 0 else 'done'
            def tried(action):
                try: action(); return 'done'
                except OSError as e: return errno.errorcode.get(e.errno, '?')
            """;

    private final CortexHome cortex = CortexHome.open().withTools().with("CORTEX_POOL", startedAhead() ? "2" : "0");
    private SandboxDoor jail;
    private SandboxDoor neighbour;

    /** The program beneath {@code oci}. */
    abstract String runtime();

    /** Whether the sandboxes were started before anybody asked for them. */
    boolean startedAhead() {
        return false;
    }

    /** Whether inotify instances are counted for each sandbox by itself; see SECURITY.md. */
    boolean countsItsOwnWatches() {
        return true;
    }

    /** Who must not change settings and control groups: root of a kernel of its own may; see SECURITY.md. */
    List<String> keptFromSettings() {
        return USERS;
    }

    /** Whether a socket that the neuron has bound is in the sandbox's own list of sockets. */
    boolean listsTheChannel() {
        return false;
    }

    /** Devices that are none of the host's. */
    Set<String> devicesOfItsOwn() {
        return Set.of();
    }

    @BeforeAll
    void makeSandboxes() throws Exception {
        cortex.cortex("ls").succeeded();
        HttpDoor door = HttpDoor.to(cortex);
        jail = made(door, "jail", ",\"memory_bytes\":536870912,\"processes\":200");
        neighbour = made(door, "neighbour", "");
    }

    private SandboxDoor made(HttpDoor door, String name, String limits) throws Exception {
        return startedAhead()
                ? SandboxDoor.createFromASpare(door, name, runtime(), limits)
                : SandboxDoor.create(door, name, runtime(), limits);
    }

    @AfterEach
    void theSandboxIsStillUsable() throws Exception {
        assertThat(jail.usable()).isTrue();
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    /** Runs a program that prints a line for each try, none of which may be {@code done}. */
    private void assertRefused(String program) throws Exception {
        assertRefused(USERS, program);
    }

    private void assertRefused(List<String> users, String program) throws Exception {
        for (String user : users) {
            String said = jail.python(user, PRELUDE + program).path("stdout").asString("");
            assertThat(said).as("as " + user).isNotBlank();
            assertThat(said.lines()).as("as " + user).noneMatch(line -> line.endsWith("done"));
        }
    }

    @Test
    void nothingCanBeMounted() throws Exception {
        assertRefused("""
                os.makedirs('/tmp/m', exist_ok=True)
                print('tmpfs', call(165, b'none', b'/tmp/m', b'tmpfs', 0, 0))
                print('proc', call(165, b'none', b'/tmp/m', b'proc', 0, 0))
                print('bind', call(165, b'/etc', b'/tmp/m', 0, 4096, 0))
                print('remount', call(165, b'none', b'/proc/sys', 0, 32 | 4096, 0))
                print('umount', call(166, b'/proc', 2))
                print('pivot', call(155, b'/tmp/m', b'/tmp/m'))
                print('open_tree', call(428, -100, b'/', 1))
                print('fsopen', call(430, b'tmpfs', 0))
                """);
    }

    @Test
    void namespacesCannotBeLeftOrMade() throws Exception {
        assertRefused("""
                for name, flag in (('user', 0x10000000), ('mount', 0x20000), ('net', 0x40000000), ('pid', 0x20000000)):
                    child = os.fork()
                    if child == 0:
                        print(name, call(272, flag), flush=True); os._exit(0)
                    os.waitpid(child, 0)
                try:
                    fd = os.open('/proc/1/ns/mnt', os.O_RDONLY)
                    print('setns', call(308, fd, 0))
                except OSError as e: print('ns', errno.errorcode[e.errno])
                """);
    }

    @Test
    void theNeuronCannotBeTracedReadOrEnded() throws Exception {
        assertRefused("""
                print('attach', call(101, 16, 1, 0, 0))
                print('seize', call(101, 0x4206, 1, 0, 0))
                buffer = ctypes.create_string_buffer(64)
                print('readv', call(310, 1, ctypes.addressof(buffer), 1, ctypes.addressof(buffer), 1, 0))
                for name in ('mem', 'environ', 'maps', 'auxv', 'syscall', 'stack', 'fd/0', 'fd/3', 'exe', 'root', 'cwd', 'map_files'):
                    path = '/proc/1/' + name
                    print(name, tried(lambda: os.listdir(path) if name in ('root', 'cwd', 'map_files') else open(path, 'rb').read(1) and None or (_ for _ in ()).throw(OSError(61, 'empty'))))
                print('write', tried(lambda: open('/proc/1/mem', 'r+b')))
                print('exe', tried(lambda: open('/proc/1/exe', 'r+b')))
                """);
        for (String user : USERS) {
            jail.shell(user, "for s in $(seq 1 64); do kill -$s 1 2>/dev/null; done; sleep 0.2");
            assertThat(jail.usable()).as("after the signals of " + user).isTrue();
        }
    }

    @Test
    void nothingOfTheKernelCanBeSet() throws Exception {
        String before = hostSettings();
        assertRefused(keptFromSettings(), """
                for path in ('/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/overcommit_memory',
                        '/proc/sys/kernel/hostname', '/proc/sys/fs/suid_dumpable', '/proc/sysrq-trigger', '/proc/sys/net/ipv4/ip_forward',
                        '/sys/kernel/uevent_helper', '/sys/kernel/mm/transparent_hugepage/enabled', '/proc/irq/0/smp_affinity'):
                    print(path, tried(lambda: open(path, 'w').write('1')))
                print('settime', call(227, 0, ctypes.addressof((ctypes.c_long * 2)(1, 0))))
                print('module', call(175, 0, 0, b''))
                print('kexec', call(246, 0, 0, 0, 0))
                print('reboot', call(169, 0xfee1dead, 672274793, 0x1234567, 0))
                print('swapon', call(167, b'/etc/passwd', 0))
                print('bpf', call(321, 0, 0, 0))
                print('perf', call(298, 0, 0, -1, -1, 0))
                print('io_uring', call(425, 1, ctypes.addressof(ctypes.create_string_buffer(256))))
                print('userfaultfd', call(323, 0))
                """);
        jail.shell(
                "root",
                "for f in vm/overcommit_memory kernel/hostname net/ipv4/ip_forward; do echo 1 > /proc/sys/$f; done 2>/dev/null");
        assertThat(hostSettings()).isEqualTo(before);
    }

    @Test
    void controlGroupsAreReadOnly() throws Exception {
        for (String user : keptFromSettings()) {
            jail.shell(
                    user,
                    "find /sys/fs/cgroup -type f 2>/dev/null | head -50 | while read f; do (echo 1 > $f) 2>/dev/null && echo $f; done;"
                            + " mkdir /sys/fs/cgroup/x /sys/fs/cgroup/pids/x /sys/fs/cgroup/memory/x 2>/dev/null");
            String written = jail.said(
                    user,
                    "find /sys/fs/cgroup -type f 2>/dev/null | head -80 | while read f; do (echo 1 > $f) 2>/dev/null && echo $f; done; true");
            assertThat(written).as("as " + user).isEmpty();
            assertThat(jail.said(user, "ls -d /sys/fs/cgroup/x /sys/fs/cgroup/*/x 2>/dev/null; true"))
                    .isEmpty();
        }
    }

    @Test
    void aDeviceCannotBeMade() throws Exception {
        assertRefused("""
                import stat
                for name, kind, major, minor in (('sda', stat.S_IFBLK, 8, 0), ('mem', stat.S_IFCHR, 1, 1), ('kmsg', stat.S_IFCHR, 1, 11), ('fuse', stat.S_IFCHR, 10, 229)):
                    print(name, tried(lambda: os.mknod('/tmp/' + name, 0o666 | kind, os.makedev(major, minor))))
                for path in ('/dev/sda', '/dev/vda', '/dev/mem', '/dev/kmsg', '/dev/kvm', '/dev/loop-control'):
                    print(path, tried(lambda: open(path, 'rb')))
                """);
        for (String device : List.of("/dev/fuse", "/dev/net/tun")) {
            if (!devicesOfItsOwn().contains(device)) {
                assertRefused("print('open', tried(lambda: open('" + device + "', 'rb')))");
            }
        }
    }

    @Test
    void aProgramThatSetsItsUserGainsNothing() throws Exception {
        jail.said(
                "root",
                "cp \"$(readlink -f /bin/sh)\" /home/agent/root-shell; cp \"$(readlink -f /usr/bin/python3)\" /home/agent/root-python; chmod 4755 /home/agent/root-shell /home/agent/root-python");
        String seen = jail.said(
                "agent",
                "/home/agent/root-python -c 'import os; print(os.geteuid())'; grep NoNewPrivs /proc/self/status");
        assertThat(seen).startsWith("1000\n").contains("NoNewPrivs:\t1");
        // And what another user of the host would get from it: a sandbox's disk lies where only its owner comes to.
        assertThat(Files.getPosixFilePermissions(cortex.home()))
                .doesNotContain(java.nio.file.attribute.PosixFilePermission.OTHERS_EXECUTE);
    }

    @Test
    void noKeyIsKeptInTheKernel() throws Exception {
        assertRefused("""
                print('add_key', call(248, b'user', b'name', b'payload', 7, -3))
                print('request_key', call(249, b'user', b'name', 0, -3))
                print('keyctl', call(250, 0, -3, 1))
                print('keys', tried(lambda: open('/proc/keys').read() and None or (_ for _ in ()).throw(OSError(61, 'empty'))))
                """);
    }

    @Test
    void aCrashStartsNoProgramOfTheHost() throws Exception {
        String seen = jail.said(
                "agent",
                "cd /tmp; ulimit -c unlimited 2>/dev/null; ulimit -c; sh -c 'kill -SEGV $$'; ls /tmp | grep -c '^core' ; true");
        assertThat(seen).isEqualTo("0\n0\n");
    }

    @Test
    void theProgramsOfTheHostCannotBeOverwrittenThroughProc() throws Exception {
        Path neuron = Path.of(System.getProperty("cortex.install"), "bin", "neuron");
        byte[] before = Files.readAllBytes(neuron);
        for (String user : USERS) {
            jail.exec(user, List.of("/proc/self/exe", "version"), 10_000);
            jail.shell(
                    user,
                    "(echo '#!/bin/sh' > /run/cortex/neuron; cp /bin/sh /run/cortex/neuron; rm /run/cortex/neuron; mv /bin/sh /run/cortex/neuron) 2>/dev/null;"
                            + " for i in 1 2 3 4 5 6 7 8; do (exec 3> /proc/1/exe; exec 4> /proc/self/exe) 2>/dev/null; done; true");
        }
        assertThat(Files.readAllBytes(neuron)).isEqualTo(before);
    }

    @Test
    void whatTakesEveryWatchTakesOnlyItsOwn() throws Exception {
        String greedy = """
                import time
                had = []
                while len(had) < 5000:
                    fd = libc.inotify_init1(0)
                    if fd < 0: break
                    had.append(fd)
                print(len(had), flush=True)
                time.sleep(5)
                """;
        FutureTask<String> taker = new FutureTask<>(
                () -> jail.python("agent", PRELUDE + greedy).path("stdout").asString());
        Thread.ofPlatform().start(taker);
        Thread.sleep(2_000);
        String others = neighbour
                .python("agent", PRELUDE + "print('fd' if libc.inotify_init1(0) >= 0 else 'none')")
                .path("stdout")
                .asString();
        int host = new ProcessBuilder(
                        "python3", "-c", "import ctypes,sys; sys.exit(ctypes.CDLL(None).inotify_init1(0) < 0)")
                .start()
                .waitFor();
        assertThat(Integer.parseInt(taker.get().strip())).isGreaterThan(60);
        assertThat(neighbour.usable()).isTrue();
        if (countsItsOwnWatches()) {
            assertThat(others).isEqualTo("fd\n");
            assertThat(host).isZero();
        }
    }

    @Test
    void secretsOfASessionStandInNoOtherProcessOfTheHost() throws Exception {
        String secret = "s3cr3t-" + Long.toHexString(System.nanoTime());
        jail.post(
                "/sessions",
                "{\"argv\":[\"sh\",\"-c\",\"sleep 10 # " + secret + "-arg\"],\"env\":{\"TOKEN\":\"" + secret
                        + "-env\"}}");
        Thread.sleep(300);
        int inside = 0;
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes
                    .filter(p -> p.getFileName().toString().matches("\\d+"))
                    .toList()) {
                boolean leaks = text(process.resolve("cmdline")).contains(secret)
                        || text(process.resolve("environ")).contains(secret);
                if (leaks) {
                    inside++;
                    assertThat(ids(process))
                            .as("the user of " + text(process.resolve("cmdline")))
                            .isGreaterThanOrEqualTo(0x70000000L);
                }
            }
        }
        // A user-space kernel shows the host none of its processes.
        assertThat(inside).isLessThanOrEqualTo(2);
        assertThat(neighbour.said("root", "cat /proc/*/cmdline /proc/*/environ 2>/dev/null | tr '\\0' ' '"))
                .doesNotContain(secret);
        assertThat(Files.readString(cortex.home().resolve("daemon.log"))).doesNotContain(secret);
    }

    @Test
    void theChannelIsOutOfReach() throws Exception {
        for (String user : USERS) {
            if (!listsTheChannel()) {
                assertThat(jail.said(user, "cat /proc/net/unix 2>/dev/null | grep -c n.sock; true"))
                        .isEqualTo("0\n");
            }
            String connected = jail.python(user, PRELUDE + """
                    import socket
                    found = []
                    for folder, _, names in os.walk('/run'):
                        for name in names:
                            path = os.path.join(folder, name)
                            try:
                                s = socket.socket(socket.AF_UNIX); s.settimeout(3); s.connect(path)
                                s.sendall(b'CRTX' + bytes([0, 1, 0, 1, 0, 1]) + bytes(31))
                                answer = s.recv(7)
                                # A refusal of the token has status 2 in its last byte.
                                if answer[:4] == b'CRTX' and answer[6] == 0: found.append(path)
                            except OSError: pass
                    print(found)
                    """).path("stdout").asString();
            assertThat(connected).as("as " + user).isEqualTo("[]\n");
        }
    }

    @Test
    void theHostAndTheOthersAreNotSeen() throws Exception {
        for (String user : USERS) {
            assertThat(jail.said(user, "cat /proc/self/mountinfo /proc/1/mountinfo /proc/mounts 2>/dev/null; true"))
                    .doesNotContain(cortex.folder().toString());
            assertThat(
                            jail.said(
                                    user,
                                    "ls -A /sys/firmware /sys/devices/virtual/powercap 2>/dev/null | grep -v ':$' | grep -v '^$'; true"))
                    .isEmpty();
            assertThat(jail.said(user, "cat /proc/kcore /proc/kallsyms 2>/dev/null | head -c 1; true"))
                    .isEmpty();
        }
    }

    /** Of this machine. */
    private static String hostSettings() {
        return Stream.of("vm/overcommit_memory", "kernel/hostname", "net/ipv4/ip_forward", "kernel/core_pattern")
                .map(name -> text(Path.of("/proc/sys", name)))
                .collect(Collectors.joining());
    }

    private static long ids(Path process) {
        return text(process.resolve("status"))
                .lines()
                .filter(line -> line.startsWith("Uid:"))
                .mapToLong(line -> Long.parseLong(line.split("\\s+")[1]))
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (java.io.IOException gone) {
            return "";
        }
    }
}
