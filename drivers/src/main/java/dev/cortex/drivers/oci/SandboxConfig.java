package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.IdMapping;
import dev.cortex.drivers.launch.Mark;
import dev.cortex.drivers.launch.NeuronCommand;
import dev.cortex.drivers.launch.RunFiles;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.StartRequest;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Makes a sandbox's {@link OciConfig}, as a pure function. */
final class SandboxConfig {
    private static final String PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /** Where the folder of the channel is shown, to a first process that cannot inherit its socket. */
    private static final String CHANNEL = "/run/cortex/channel";

    /** RLIM_INFINITY. */
    private static final BigInteger UNLIMITED = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    /**
     * What root of the sandbox's user namespace keeps: package managers change owners and users, servers bind low
     * ports. The user {@code agent} has none of them.
     */
    private static final List<String> ROOT_CAPABILITIES = List.of(
            "CAP_CHOWN",
            "CAP_DAC_OVERRIDE",
            "CAP_FOWNER",
            "CAP_FSETID",
            "CAP_KILL",
            "CAP_NET_BIND_SERVICE",
            "CAP_SETFCAP",
            "CAP_SETGID",
            "CAP_SETPCAP",
            "CAP_SETUID",
            "CAP_SYS_CHROOT");

    /** What tells of the host, or lets the host be changed, although the namespaces are the sandbox's. */
    private static final List<String> MASKED = List.of(
            "/proc/acpi",
            "/proc/asound",
            "/proc/interrupts",
            "/proc/kallsyms",
            "/proc/kcore",
            "/proc/keys",
            "/proc/latency_stats",
            "/proc/sched_debug",
            "/proc/scsi",
            "/proc/timer_list",
            "/proc/timer_stats",
            "/sys/devices/virtual/powercap",
            "/sys/firmware");

    private static final List<String> READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    private SandboxConfig() {}

    static OciConfig of(StartRequest request, OciRuntime runtime, Rights rights, JsonNode seccomp, Path neuron) {
        return new OciConfig(
                OciConfig.VERSION,
                new OciConfig.Root("mnt/rootfs", false),
                request.hostname().orElse(Unnamed.HOSTNAME),
                process(request, runtime),
                mounts(request, runtime, neuron),
                linux(rights, seccomp));
    }

    private static OciConfig.Process process(StartRequest request, OciRuntime runtime) {
        return new OciConfig.Process(
                false,
                new OciConfig.User(0, 0),
                command(request, runtime),
                List.of(PATH, "HOME=/root", "LANG=C.UTF-8"),
                "/",
                new OciConfig.CapabilitySets(
                        ROOT_CAPABILITIES, ROOT_CAPABILITIES, ROOT_CAPABILITIES, List.of(), List.of()),
                rlimits(request.sandbox(), runtime),
                true);
    }

    private static List<String> command(StartRequest request, OciRuntime runtime) {
        return runtime.ownKernel()
                ? NeuronCommand.onItsOwnKernel(MountPlan.NEURON, request.sandbox(), CHANNEL, request.limits())
                : NeuronCommand.first(MountPlan.NEURON, request.sandbox());
    }

    private static List<OciConfig.Rlimit> rlimits(SandboxId sandbox, OciRuntime runtime) {
        // No core files: the host's handler of them, which runs outside, must not be reachable.
        OciConfig.Rlimit core = new OciConfig.Rlimit("RLIMIT_CORE", BigInteger.ZERO, BigInteger.ZERO);
        // gVisor refuses to set the limit that carries marks on Linux, and does nothing with this one.
        String carrier = runtime.ownKernel() ? "RLIMIT_RTPRIO" : "RLIMIT_LOCKS";
        return List.of(core, new OciConfig.Rlimit(carrier, BigInteger.valueOf(Mark.of(sandbox)), UNLIMITED));
    }

    private static List<OciConfig.Entry> mounts(StartRequest request, OciRuntime runtime, Path neuron) {
        RunFiles files = new RunFiles(request.runFolder(), request.folder());
        TmpfsSizes sizes = TmpfsSizes.under(request.limits().memoryBytes());
        List<OciConfig.Entry> all = new ArrayList<>(List.of(
                entry("/proc", "proc", "proc", "nosuid", "noexec", "nodev"),
                entry("/dev", "tmpfs", "tmpfs", "nosuid", "noexec", "strictatime", "mode=755", "size=65536k"),
                entry("/dev/pts", "devpts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"),
                entry("/dev/shm", "tmpfs", "shm", "nosuid", "noexec", "nodev", "mode=1777", "size=" + sizes.shm()),
                entry("/dev/mqueue", "mqueue", "mqueue", "nosuid", "noexec", "nodev"),
                entry("/sys", "sysfs", "sysfs", "nosuid", "noexec", "nodev", "ro")));
        if (runtime.ownKernel()) {
            all.add(entry("/sys/fs/cgroup", "cgroup", "cgroup", "nosuid", "nodev", "noexec", "rw"));
            all.add(entry("/tmp", "tmpfs", "tmpfs", "nosuid", "nodev", "mode=1777", "size=" + sizes.tmp()));
            // Its own, so that sockets bound there are no files of the host, which no checkpoint can save.
            all.add(entry("/run", "tmpfs", "tmpfs", "nosuid", "nodev", "mode=755", "size=" + sizes.run()));
            all.add(entry(MountPlan.NEURON, "bind", neuron.toString(), "bind", "ro", "nosuid", "nodev"));
            all.add(entry(CHANNEL, "bind", files.channel().toString(), "bind", "rw", "nosuid", "nodev", "noexec"));
        } else {
            // In a user namespace a folder goes only together with what is mounted below it.
            String groups = files.bundle().resolve("mnt/cgroup").toString();
            all.add(entry("/sys/fs/cgroup", "bind", groups, "rbind", "ro", "nosuid", "nodev", "noexec"));
        }
        return all;
    }

    private static OciConfig.Entry entry(String destination, String type, String source, String... options) {
        return new OciConfig.Entry(destination, type, source, List.of(options));
    }

    private static OciConfig.Linux linux(Rights rights, JsonNode seccomp) {
        return new OciConfig.Linux(
                Stream.of("pid", "network", "ipc", "uts", "mount", "user", "cgroup")
                        .map(OciConfig.Namespace::new)
                        .toList(),
                mappings(rights.namespace().uids()),
                mappings(rights.namespace().gids()),
                MASKED,
                READ_ONLY,
                Optional.of(seccomp));
    }

    private static List<OciConfig.Mapping> mappings(List<IdMapping.Range> ranges) {
        return ranges.stream()
                .map(range -> new OciConfig.Mapping(range.containerId(), range.hostId(), range.size()))
                .toList();
    }
}
