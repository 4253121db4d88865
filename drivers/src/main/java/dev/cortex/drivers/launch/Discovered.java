package dev.cortex.drivers.launch;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Discovering;
import java.util.List;

/** The answer of discover. */
record Discovered(List<Seen> traces) {
    /** @param kind cgroup, mount or process; @param name a path, or a pid */
    record Seen(String key, String kind, String name) {
        Discovering.Trace trace() {
            return new Discovering.Trace(
                    new SandboxId(key), (kind.equals("cgroup") ? "control group" : kind) + " " + name);
        }
    }
}
