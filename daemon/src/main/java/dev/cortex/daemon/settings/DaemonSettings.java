package dev.cortex.daemon.settings;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the daemon itself can be told.
 *
 * @param port on loopback
 * @param portRequired the port came by the flag: that it is taken is then an error
 */
public record DaemonSettings(Port port, boolean portRequired) {
    /** Where clients look for the API unless they are told otherwise. */
    public static final Port DEFAULT_PORT = new Port(3100);

    /** Everything by default. */
    public static DaemonSettings defaults() {
        return new DaemonSettings(DEFAULT_PORT, false);
    }

    /**
     * Flag before variable before the home's file before default.
     *
     * @param portFlag of {@code --port}
     * @param environment of this process
     * @throws CortexException INVALID_ARGUMENT with every problem
     */
    public static DaemonSettings resolve(Optional<String> portFlag, Map<String, String> environment, HomeFile file) {
        List<String> problems = new ArrayList<>(file.problems());
        Optional<String> variable =
                Optional.ofNullable(environment.get("CORTEX_PORT")).filter(text -> !text.isEmpty());
        Optional<Port> flag = port("--port", portFlag, problems);
        Optional<Port> fromVariable = port("CORTEX_PORT", variable, problems);
        Optional<Port> fromFile = port("daemon.port in " + file.path(), file.port(), problems);
        if (!problems.isEmpty()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    String.join("\n", problems),
                    "correct them; every setting: cortex help settings");
        }
        Port port = flag.or(() -> fromVariable).or(() -> fromFile).orElse(DEFAULT_PORT);
        return new DaemonSettings(port, flag.isPresent());
    }

    private static Optional<Port> port(String source, Optional<String> text, List<String> problems) {
        Optional<Port> port = text.flatMap(Port::parse);
        if (text.isPresent() && port.isEmpty()) {
            problems.add(source + ": '" + text.get() + "' is no port; a port is 0 to 65535");
        }
        return port;
    }
}
