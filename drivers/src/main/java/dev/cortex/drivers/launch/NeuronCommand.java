package dev.cortex.drivers.launch;

import dev.cortex.sandbox.SandboxId;
import java.util.List;

/** How a neuron is started: it serves on the listening socket that the launcher hands it as descriptor 3. */
public final class NeuronCommand {
    private NeuronCommand() {}

    /** As the first process of a container. */
    public static List<String> first(String program, SandboxId sandbox) {
        return List.of(program, "serve", "--listen-fd", "3", "--mark", Long.toString(Mark.number(sandbox)));
    }

    /** As a child on somebody's machine, which it leaves alone. */
    public static List<String> plain(String program, SandboxId sandbox) {
        return List.of(program, "serve", "--listen-fd", "3", "--mark", Long.toString(Mark.number(sandbox)), "--plain");
    }
}
