package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The whole engine over sandboxes that were started ahead, where the driver is oci. */
final class SpareEngineIT extends EngineIT {
    @Override
    int spares() {
        return 2;
    }

    @Test
    void aSpareIsWhatASandboxMadeFromNothingIs() throws Exception {
        try (TestHome home = new TestHome(1)) {
            Cortex cortex = home.open();
            SpareRow spare = cortex.sandboxes().spares().rows().getFirst();
            SandboxRow warm = cortex.sandboxes().create(CreateSandbox.defaults().named("warm"));
            assertThat(warm.id()).isEqualTo(spare.id());
            SandboxRow cold = cortex.sandboxes()
                    .create(CreateSandbox.defaults()
                            .named("cold")
                            .with(draft -> draft.processes = Optional.of(1_000L)));
            assertThat(cortex.sandboxes().spares().rows())
                    .extracting(SpareRow::id)
                    .doesNotContain(cold.id());
            String script = "hostname; cat /etc/hostname /etc/hosts; id; pwd; env | sort | grep -v NONCE;"
                    + " grep -E 'Cap|Seccomp|NoNew|Uid|Groups' /proc/self/status; cut -d' ' -f5- /proc/self/mountinfo"
                    + " | sed 's/lowerdir.*//' | grep -v /sys/fs/cgroup; stat -c '%n %u %g %a' /etc/* /home/agent; ls -la /run/cortex";
            List<String> seen = seen(cortex, "warm", script);
            assertThat(seen).contains("warm", "127.0.1.1\twarm").isEqualTo(seen(cortex, "cold", script));
            assertThat(machineId(cortex, "warm")).isNotEqualTo(machineId(cortex, "cold"));
        }
    }

    /** With the other name in its place. */
    private static List<String> seen(Cortex cortex, String name, String script) {
        byte[] said = cortex.sandboxes()
                .sessions()
                .exec(name, StartSession.of("sh", "-c", script), Optional.empty())
                .stdout();
        return new String(said, StandardCharsets.UTF_8)
                .replace("cold", "warm")
                .lines()
                .map(line -> line.replaceAll("uid=\\d+,gid=\\d+", "its own range"))
                .map(line -> line.replaceAll("\\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .*? ", ""))
                .toList();
    }

    private static String machineId(Cortex cortex, String name) {
        return String.join("", seen(cortex, name, "cat /etc/machine-id"));
    }
}
