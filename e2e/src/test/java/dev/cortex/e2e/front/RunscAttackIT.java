package dev.cortex.e2e.front;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;

@Tag("slow")
final class RunscAttackIT extends AttackContract {
    @Override
    String runtime() {
        return "runsc";
    }

    /** Its root owns the settings and control groups of gVisor's kernel, which hold that sandbox alone. */
    @Override
    List<String> keptFromSettings() {
        return List.of("agent");
    }

    @Override
    Set<String> devicesOfItsOwn() {
        return Set.of("/dev/fuse", "/dev/net/tun");
    }

    /** The name alone: the neuron binds the socket itself there. */
    @Override
    boolean listsTheChannel() {
        return true;
    }
}
