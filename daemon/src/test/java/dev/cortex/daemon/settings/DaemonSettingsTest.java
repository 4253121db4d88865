package dev.cortex.daemon.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.error.CortexException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DaemonSettingsTest {
    private static final Path PATH = Path.of("/home/x/config.yaml");

    @Test
    void defaults() {
        DaemonSettings settings = DaemonSettings.resolve(Optional.empty(), Map.of(), HomeFile.absent(PATH));
        assertThat(settings).isEqualTo(DaemonSettings.defaults());
        assertThat(settings.port()).isEqualTo(new Port(3100));
        assertThat(settings.portRequired()).isFalse();
    }

    @Test
    void explicitMapping() {
        HomeFile file = HomeFile.parse(PATH, "daemon:\n  port: 3300\ndriver: oci\nlimits:\n  memory: 1G\n");
        assertThat(DaemonSettings.resolve(Optional.empty(), Map.of(), file).port())
                .isEqualTo(new Port(3300));
        assertThat(DaemonSettings.resolve(Optional.empty(), Map.of("CORTEX_PORT", "3200"), file)
                        .port())
                .isEqualTo(new Port(3200));
        assertThat(DaemonSettings.resolve(Optional.of("0"), Map.of("CORTEX_PORT", "3200"), file))
                .isEqualTo(new DaemonSettings(new Port(0), true, Optional.empty()));
    }

    @Test
    void thePoolOfDisksIsNamedByTheVariableBeforeTheFile() {
        HomeFile file = HomeFile.parse(PATH, "daemon:\n  disk-pool: folder\n");
        assertThat(DaemonSettings.resolve(Optional.empty(), Map.of(), file).diskPool())
                .contains("folder");
        assertThat(DaemonSettings.resolve(Optional.empty(), Map.of("CORTEX_DISK_POOL", "btrfs"), file)
                        .diskPool())
                .contains("btrfs");
        assertThatThrownBy(() -> DaemonSettings.resolve(
                        Optional.empty(), Map.of("CORTEX_DISK_POOL", "zfs"), HomeFile.absent(PATH)))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("'zfs' is no pool of disks");
    }

    @Test
    void dottedKeysMeanTheSameAsNestedOnes() {
        assertThat(HomeFile.parse(PATH, "daemon.port: 3300\nlimits.memory: 1G\n")
                        .port())
                .contains("3300");
        assertThat(HomeFile.parse(PATH, "daemon.port: 3300\nlimits.memory: 1G\n")
                        .problems())
                .isEmpty();
    }

    @Test
    void everyProblemIsReportedTogether() {
        HomeFile file = HomeFile.parse(PATH, "prot: 1\nport: 3300\ndaemon:\n  port: many\n  colour: red\n");
        assertThatThrownBy(() -> DaemonSettings.resolve(Optional.of("70000"), Map.of("CORTEX_PORT", "x"), file))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("there is no setting 'prot'")
                .hasMessageContaining("'port' is now 'daemon.port'")
                .hasMessageContaining("there is no setting 'daemon.colour'")
                .hasMessageContaining("'many' is no port")
                .hasMessageContaining("'70000' is no port")
                .hasMessageContaining("CORTEX_PORT: 'x'");
    }

    @Test
    void whatIsNoMapOfSettingsIsAProblemAndAnEmptyFileIsNone() {
        assertThat(HomeFile.parse(PATH, "- a\n- b\n").problems()).hasSize(1);
        assertThat(HomeFile.parse(PATH, "a: [\n").problems()).hasSize(1);
        assertThat(HomeFile.parse(PATH, "daemon: 3\n").problems()).hasSize(1);
        assertThat(HomeFile.parse(PATH, "# nothing\n").problems()).isEmpty();
    }
}
