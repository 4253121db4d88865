package dev.cortex.drivers.launch;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * How one sandbox is started. Paths are absolute paths of the host unless a {@link Mount} says otherwise.
 *
 * @param id the sandbox's, and the runtime's name of the container
 * @param bundle an empty folder of this sandbox alone, outside its disk; with {@code oci} only
 * @param config the OCI runtime configuration; with {@code oci} only
 * @param mounts done in order, in a mount namespace that ends with the sandbox
 * @param idmap what idmapped mounts show disk ids as; the same mapping as the config's
 * @param listen the socket that the first process inherits as descriptor 3
 * @param cgroup limits; absent: the first process stays in the groups of the caller
 * @param rootless present for ordinary users: the launcher first enters a user namespace of its own; empty lists stand
 *     for the caller's subordinate ranges
 * @param disk made before anything that uses it
 * @param process the first process without a runtime
 * @param console gets the first process's standard output and error
 * @param pidFile gets the first process's pid before the launcher answers
 */
public record LaunchSpec(
        int version,
        String id,
        RuntimeProgram runtime,
        Optional<String> bundle,
        Optional<JsonNode> config,
        List<Mount> mounts,
        Optional<IdMapping> idmap,
        Optional<Listen> listen,
        Optional<Cgroup> cgroup,
        Optional<IdMapping> rootless,
        Optional<DiskSpec> disk,
        Optional<Child> process,
        Optional<String> console,
        Optional<String> pidFile) {
    /** The version of every record that travels to the launcher. */
    public static final int VERSION = 1;

    public LaunchSpec {
        mounts = List.copyOf(mounts);
    }

    /**
     * A listening Unix stream socket.
     *
     * @param path at most 107 bytes
     * @param backlog of connections
     * @param shared a folder in which the first process binds the socket, which is then linked to {@code path}; absent:
     *     it inherits the socket
     */
    public record Listen(String path, int backlog, Optional<String> shared) {
        /** Inherited as descriptor 3. */
        public Listen(String path, int backlog) {
            this(path, backlog, Optional.empty());
        }
    }

    /**
     * Name and limits of a control group; 0 is no limit.
     *
     * @param name {@code cortex-<home>/<sandbox>}
     * @param pids processes and threads, the neuron's included
     * @param cpuQuotaMicros of each {@code cpuPeriodMicros}
     * @param cpuShares 1,024 is one sandbox's fair share
     * @param cpus processors of the affinity, so that {@code nproc} agrees with a whole-number quota
     */
    public record Cgroup(
            String name,
            long memoryBytes,
            long pids,
            long cpuQuotaMicros,
            long cpuPeriodMicros,
            long cpuShares,
            int cpus) {}

    /**
     * A plain child.
     *
     * @param env the whole environment
     * @param mark by which stop finds every descendant, see {@link Mark}
     */
    public record Child(List<String> argv, List<String> env, String cwd, long mark) {
        public Child {
            argv = List.copyOf(argv);
            env = List.copyOf(env);
        }
    }
}
