package dev.cortex.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class UnitTest {
    private static final Path SCRIPT = Path.of("/opt/cortex/cortex");

    @Test
    void aRestartOfTheServiceKillsTheDaemonAlone() {
        assertThat(new Unit(SCRIPT, Optional.empty(), true).text().lines())
                .contains(
                        "ExecStart=\"/opt/cortex/cortex\" serve",
                        "KillMode=process",
                        "Delegate=yes",
                        "OOMPolicy=continue",
                        "Restart=on-failure",
                        "Type=simple",
                        "WantedBy=multi-user.target")
                .noneMatch(line -> line.startsWith("Environment="));
    }

    @Test
    void theUnitOfAUserStartsWithTheUser() {
        assertThat(new Unit(SCRIPT, Optional.empty(), false).text().lines()).contains("WantedBy=default.target");
    }

    @Test
    void anotherHomeIsTheServicesToo() {
        assertThat(new Unit(SCRIPT, Optional.of(Path.of("/srv/c")), true).text().lines())
                .contains("Environment=\"CORTEX_HOME=/srv/c\"");
    }

    @Test
    void whatSystemdWouldReadAsItsOwnIsQuoted() {
        Path odd = Path.of("/opt/a b%h\"$X\\/cortex");
        assertThat(new Unit(odd, Optional.empty(), true).text().lines())
                .contains("ExecStart=\"/opt/a b%%h\\\"$$X\\\\/cortex\" serve");
    }
}
