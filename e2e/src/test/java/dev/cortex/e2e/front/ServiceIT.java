package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code cortex service}, as far as a machine that systemd did not start can show it. */
final class ServiceIT {
    @Test
    void theUnitIsShownWithoutChangingAnythingAndNamesTheRealInstallation() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            CortexHome.Outcome shown =
                    cortex.cortex("service", "install", "--dry-run").succeeded();
            assertThat(shown.stdout())
                    .contains("ExecStart=\"" + CortexHome.script().toRealPath() + "\" serve")
                    .contains("CORTEX_HOME=" + cortex.home());
            assertThat(shown.stderr()).contains("would run: systemctl").contains("enable --now cortex.service");
            assertThat(Path.of("/etc/systemd/system/cortex.service")).doesNotExist();
            assertThat(cortex.cortex("service", "status").stdout()).contains("not installed");
            assertThat(cortex.cortex("service", "instal").status()).isEqualTo(2);
        }
    }

    @Test
    void whereSystemdDoesNotRunThatIsSaidAndNothingIsWritten() throws Exception {
        assertThat(Path.of("/run/systemd/system"))
                .as("this test is for machines that systemd did not start")
                .doesNotExist();
        try (CortexHome cortex = CortexHome.open()) {
            CortexHome.Outcome refused = cortex.cortex("service", "install");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.stderr()).contains("no running systemd").contains("--dry-run");
            assertThat(Files.exists(Path.of("/etc/systemd/system/cortex.service")))
                    .isFalse();
        }
    }
}
