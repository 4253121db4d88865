package dev.cortex.daemon.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How many sandboxes this machine holds, and which of its limits stands in the way first; a pure function of its figures.
 *
 * @param sandboxes about so many, idle
 * @param bounds every limit, the tightest first
 * @param footprint what one takes
 */
public record Capacity(long sandboxes, List<Bound> bounds, Footprint footprint) {
    /** Of the uids 0x70000000 to 0x7FFDFFFF, 65,536 for each sandbox of a root's daemon. */
    private static final long UID_RANGES = 4_094;

    /** MEM_CGROUP_ID_MAX of the kernel. */
    private static final long MEMORY_GROUPS = 65_535;

    /** A disk with a few files, and what is kept of its sessions. */
    private static final long DISK_EACH = 1L << 20;

    /** The daemon's streams to one neuron and the descriptors that it holds of it. */
    private static final long DAEMON_FILES_EACH = 4;

    /** What a machine needs beside sandboxes: the daemon, a shell, its services. */
    private static final long MEMORY_APART = 1L << 30;

    private static final long MAXIMUM_PIDS = 4_194_304;
    private static final long SOME_THREADS = 1_000;

    public Capacity {
        bounds = List.copyOf(bounds);
    }

    /**
     * @param limit as the kernel or a person calls it
     * @param has what there is of it, as far as it is free
     * @param each what a sandbox takes of it
     * @param sandboxes so many it allows
     * @param fix the command that raises it, empty where none does
     */
    public record Bound(String limit, long has, long each, long sandboxes, String fix) {}

    /** @param root whether the daemon is root's: uid ranges of its own, control groups */
    public static Capacity of(HostLimits host, Footprint one, boolean root) {
        List<Bound> bounds = new ArrayList<>();
        long threads = host.figure("threads now").orElse(SOME_THREADS);
        String sudo = root ? "" : "sudo ";
        add(bounds, host, "kernel.pid_max", threads, one.threads(), sysctl(sudo, "kernel.pid_max", MAXIMUM_PIDS));
        add(
                bounds,
                host,
                "kernel.threads-max",
                threads,
                one.threads(),
                sysctl(sudo, "kernel.threads-max", MAXIMUM_PIDS));
        add(bounds, host, "own processes", 0, one.threads(), "raise nproc in /etc/security/limits.conf");
        for (String kind : List.of("user", "mnt", "net", "pid", "ipc", "uts", "cgroup")) {
            String name = "user.max_" + kind + "_namespaces";
            add(bounds, host, name, 0, 1, sysctl(sudo, name, 100_000));
        }
        add(
                bounds,
                host,
                "fs.file-max",
                host.figure("files now").orElse(0),
                one.files() + DAEMON_FILES_EACH,
                sysctl(sudo, "fs.file-max", 10_000_000));
        add(
                bounds,
                host,
                "open files",
                200,
                DAEMON_FILES_EACH,
                "raise nofile in /etc/security/limits.conf, or LimitNOFILE of the service");
        add(bounds, host, "kernel.pty.max", 0, 1, sysctl(sudo, "kernel.pty.max", 32_768));
        add(bounds, host, "memory available", MEMORY_APART, one.memoryBytes(), "");
        add(bounds, host, "disk available", 0, DISK_EACH, "");
        if (root) {
            bounds.add(new Bound("uid ranges", UID_RANGES, 1, UID_RANGES, ""));
            bounds.add(new Bound("memory control groups", MEMORY_GROUPS, 1, MEMORY_GROUPS, ""));
        }
        bounds.sort(Comparator.comparingLong(Bound::sandboxes));
        return new Capacity(bounds.getFirst().sandboxes(), bounds, one);
    }

    private static void add(List<Bound> bounds, HostLimits host, String limit, long taken, long each, String fix) {
        host.figure(limit).ifPresent(figure -> {
            long free = Math.max(0, figure - taken);
            bounds.add(new Bound(limit, free, each, free / each, fix));
        });
    }

    private static String sysctl(String sudo, String name, long value) {
        return sudo + "sysctl -w " + name + "=" + value;
    }

    /** Those that stand in the way of so many. */
    public List<Bound> against(long wanted) {
        return bounds.stream().filter(bound -> bound.sandboxes() < wanted).toList();
    }

    /** The one that is met first. */
    public Optional<Bound> next() {
        return bounds.isEmpty() ? Optional.empty() : Optional.of(bounds.getFirst());
    }
}
