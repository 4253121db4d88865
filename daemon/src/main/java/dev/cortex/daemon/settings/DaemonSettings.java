package dev.cortex.daemon.settings;

import dev.cortex.daemon.log.LogLimits;
import dev.cortex.engine.CortexOptions;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import dev.cortex.sandbox.spare.SpareSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the daemon itself can be told.
 *
 * @param port on loopback
 * @param portRequired the port came by the flag: that it is taken is then an error
 * @param diskPool how the home keeps its disks: auto, folder or btrfs; empty where nobody said
 * @param log how much of the daemon's log is kept
 * @param spares so many sandboxes of each kind in use are started ahead
 * @param launchers so many processes wait ahead for the next start
 */
public record DaemonSettings(
        Port port, boolean portRequired, Optional<String> diskPool, LogLimits log, int spares, int launchers) {
    private static final Set<String> POOLS = Set.of("auto", "folder", "btrfs");

    /** Where clients look for the API unless they are told otherwise. */
    public static final Port DEFAULT_PORT = new Port(3100);

    /** Few enough that nobody notices them: a spare on crun takes about 4 MB. */
    public static final int DEFAULT_SPARES = 2;

    /** One process of about a megabyte; whoever starts many at once waits for processors. */
    public static final int DEFAULT_LAUNCHERS = 1;

    /** Everything by default. */
    public static DaemonSettings defaults() {
        return new DaemonSettings(
                DEFAULT_PORT, false, Optional.empty(), LogLimits.DEFAULT, DEFAULT_SPARES, DEFAULT_LAUNCHERS);
    }

    /**
     * Flag before variable before the home's file before default.
     *
     * @param portFlag of {@code --port}
     * @param poolFlag of {@code --pool}
     * @param environment of this process
     * @throws CortexException INVALID_ARGUMENT with every problem
     */
    public static DaemonSettings resolve(
            Optional<String> portFlag, Optional<String> poolFlag, Map<String, String> environment, HomeFile file) {
        List<String> problems = new ArrayList<>(file.problems());
        Optional<String> variable = variable(environment, "CORTEX_PORT");
        Optional<Port> flag = port("--port", portFlag, problems);
        Optional<Port> fromVariable = port("CORTEX_PORT", variable, problems);
        Optional<Port> fromFile = port("daemon.port in " + file.path(), file.ofDaemon("port"), problems);
        Optional<String> pool = pool("CORTEX_DISK_POOL", variable(environment, "CORTEX_DISK_POOL"), problems)
                .or(() -> pool("daemon.disk-pool in " + file.path(), file.ofDaemon("disk-pool"), problems));
        LogLimits log = new LogSettings(environment, file, problems).resolve();
        int spares = new Counts(environment, file, problems).of("pool", poolFlag, SpareSettings.MOST, DEFAULT_SPARES);
        int launchers = new Counts(environment, file, problems)
                .of("launchers", Optional.empty(), CortexOptions.MOST_LAUNCHERS, DEFAULT_LAUNCHERS);
        if (!problems.isEmpty()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    String.join("\n", problems),
                    "correct them; every setting: cortex help settings");
        }
        Port port = flag.or(() -> fromVariable).or(() -> fromFile).orElse(DEFAULT_PORT);
        return new DaemonSettings(port, flag.isPresent(), pool, log, spares, launchers);
    }

    /** A home as these settings have it opened. */
    public CortexOptions options(Home home) {
        CortexOptions options = CortexOptions.at(home).withSpares(spares).withLaunchers(launchers);
        return diskPool.map(options::withDiskPool).orElse(options);
    }

    private static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(text -> !text.isEmpty());
    }

    private static Optional<String> pool(String source, Optional<String> text, List<String> problems) {
        text.filter(word -> !POOLS.contains(word))
                .ifPresent(word ->
                        problems.add(source + ": '" + word + "' is no pool of disks; write auto, folder or btrfs"));
        return text;
    }

    private static Optional<Port> port(String source, Optional<String> text, List<String> problems) {
        Optional<Port> port = text.flatMap(Port::parse);
        if (text.isPresent() && port.isEmpty()) {
            problems.add(source + ": '" + text.get() + "' is no port; a port is 0 to 65535");
        }
        return port;
    }
}
