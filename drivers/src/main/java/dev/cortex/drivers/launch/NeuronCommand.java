package dev.cortex.drivers.launch;

import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import java.util.List;

/** How a neuron is started: it serves on the listening socket that the launcher hands it as descriptor 3. */
public final class NeuronCommand {
    private NeuronCommand() {}

    /** As the first process of a container. */
    public static List<String> first(String program, SandboxId sandbox) {
        return List.of(program, "serve", "--listen-fd", "3", "--mark", Long.toString(Mark.number(sandbox)));
    }

    /**
     * As the first process on a kernel of its own, which takes no descriptor: it binds the socket in a folder, and sets
     * the limits in that kernel's control groups.
     *
     * @param channel the folder as it is seen inside
     */
    public static List<String> onItsOwnKernel(String program, SandboxId sandbox, String channel, Limits limits) {
        return List.of(
                program,
                "serve",
                "--listen",
                channel + "/n.sock",
                "--mark",
                Long.toString(Mark.number(sandbox)),
                "--own-kernel",
                "--memory",
                Long.toString(limits.memoryBytes()),
                "--processes",
                Long.toString(limits.processes()));
    }

    /** As a child on somebody's machine, which it leaves alone. */
    public static List<String> plain(String program, SandboxId sandbox) {
        return List.of(program, "serve", "--listen-fd", "3", "--mark", Long.toString(Mark.number(sandbox)), "--plain");
    }
}
