package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import tools.jackson.databind.JsonNode;

@Tag("slow")
final class RunscBombIT extends BombContract {
    @Override
    String runtime() {
        return "runsc";
    }

    /** Two hundred processes of a kernel in user space take more. */
    @Override
    long memoryBytes() {
        return 1L << 30;
    }

    /** The limit holds for gVisor's kernel and all that it runs: the sandbox is lost, and says why. */
    @Override
    void assertMemoryBombEnded(JsonNode result) throws Exception {
        assertThat(result.path("cause").asString("")).as(result.toString()).isNotEqualTo("exited");
        CortexHome.await(
                () -> inspected().path("state").asString().equals("stopped"), "the lost sandbox to be stopped");
        assertThat(inspected().path("reason").asString())
                .contains("memory_lost")
                .contains("at the memory limit");
        start();
        assertUsable();
    }
}
