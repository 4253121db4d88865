package dev.cortex.daemon.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.daemon.log.LogLimits;
import dev.cortex.protocol.error.CortexException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DaemonSettingsTest {
    private static final Path PATH = Path.of("/home/x/config.yaml");

    @Test
    void defaults() {
        DaemonSettings settings =
                DaemonSettings.resolve(Optional.empty(), Optional.empty(), Map.of(), HomeFile.absent(PATH));
        assertThat(settings).isEqualTo(DaemonSettings.defaults());
        assertThat(settings.port()).isEqualTo(new Port(3100));
        assertThat(settings.portRequired()).isFalse();
    }

    @Test
    void explicitMapping() {
        HomeFile file = HomeFile.parse(PATH, "daemon:\n  port: 3300\ndriver: oci\nlimits:\n  memory: 1G\n");
        assertThat(DaemonSettings.resolve(Optional.empty(), Optional.empty(), Map.of(), file)
                        .port())
                .isEqualTo(new Port(3300));
        assertThat(DaemonSettings.resolve(Optional.empty(), Optional.empty(), Map.of("CORTEX_PORT", "3200"), file)
                        .port())
                .isEqualTo(new Port(3200));
        assertThat(DaemonSettings.resolve(Optional.of("0"), Optional.empty(), Map.of("CORTEX_PORT", "3200"), file))
                .isEqualTo(new DaemonSettings(new Port(0), true, Optional.empty(), LogLimits.DEFAULT, 2, 1));
    }

    @Test
    void thePoolOfDisksIsNamedByTheVariableBeforeTheFile() {
        HomeFile file = HomeFile.parse(PATH, "daemon:\n  disk-pool: folder\n");
        assertThat(DaemonSettings.resolve(Optional.empty(), Optional.empty(), Map.of(), file)
                        .diskPool())
                .contains("folder");
        assertThat(DaemonSettings.resolve(Optional.empty(), Optional.empty(), Map.of("CORTEX_DISK_POOL", "btrfs"), file)
                        .diskPool())
                .contains("btrfs");
        assertThatThrownBy(() -> DaemonSettings.resolve(
                        Optional.empty(), Optional.empty(), Map.of("CORTEX_DISK_POOL", "zfs"), HomeFile.absent(PATH)))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("'zfs' is no pool of disks");
    }

    @Test
    void theLogIsLimitedBySizeNumberAndAgeWithTheVariableBeforeTheFile() {
        HomeFile file = HomeFile.parse(PATH, "daemon:\n  log-size: 1M\n  log-files: 3\n  log-age: 36h\n");
        assertThat(DaemonSettings.resolve(Optional.empty(), Optional.empty(), Map.of(), file)
                        .log())
                .isEqualTo(new LogLimits(1 << 20, 3, Duration.ofHours(36)));
        Map<String, String> variables =
                Map.of("CORTEX_LOG_SIZE", "64KiB", "CORTEX_LOG_FILES", "0", "CORTEX_LOG_AGE", "2d");
        assertThat(DaemonSettings.resolve(Optional.empty(), Optional.empty(), variables, file)
                        .log())
                .isEqualTo(new LogLimits(64 << 10, 0, Duration.ofHours(48)));
    }

    @Test
    void whatIsNoLimitOfALogIsRefusedWithWhatWouldBe() {
        HomeFile file = HomeFile.parse(PATH, "daemon:\n  log-size: 10\n  log-files: 100\n  log-age: 1 week\n");
        assertThatThrownBy(() -> DaemonSettings.resolve(Optional.empty(), Optional.empty(), Map.of(), file))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("daemon.log-size in " + PATH + ": '10' is not right; write a size from 64K to 1T")
                .hasMessageContaining("'100' is not right; write a whole number from 0 to 99")
                .hasMessageContaining("'1 week' is not right; write hours or days");
        for (String size : List.of("", "K", "-1M", "1.5M", "9999999999999T", "16X", "999999999999999999999")) {
            assertThat(new LogSettings(Map.of("CORTEX_LOG_SIZE", size + " "), HomeFile.absent(PATH), new ArrayList<>()))
                    .satisfies(settings -> {
                        settings.resolve();
                        assertThat(settings.problems()).as(size).hasSize(1);
                    });
        }
    }

    @Test
    void sparesComeByFlagBeforeVariableBeforeFileAndOneOfThemMaySwitchThemOff() {
        HomeFile file = HomeFile.parse(PATH, "daemon:\n  pool: 8\n");
        assertThat(spares(Optional.empty(), Map.of(), HomeFile.absent(PATH))).isEqualTo(2);
        assertThat(spares(Optional.empty(), Map.of(), file)).isEqualTo(8);
        assertThat(spares(Optional.empty(), Map.of("CORTEX_POOL", "0"), file)).isZero();
        assertThat(spares(Optional.of("64"), Map.of("CORTEX_POOL", "0"), file)).isEqualTo(64);
        assertThatThrownBy(() -> spares(Optional.of("65"), Map.of("CORTEX_POOL", "-1"), file))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("--pool: '65' is no number of 0 to 64");
    }

    private static int spares(Optional<String> flag, Map<String, String> environment, HomeFile file) {
        return DaemonSettings.resolve(Optional.empty(), flag, environment, file).spares();
    }

    @Test
    void dottedKeysMeanTheSameAsNestedOnes() {
        assertThat(HomeFile.parse(PATH, "daemon.port: 3300\nlimits.memory: 1G\n")
                        .ofDaemon("port"))
                .contains("3300");
        assertThat(HomeFile.parse(PATH, "daemon.port: 3300\nlimits.memory: 1G\n")
                        .problems())
                .isEmpty();
    }

    @Test
    void everyProblemIsReportedTogether() {
        HomeFile file = HomeFile.parse(PATH, "prot: 1\nport: 3300\ndaemon:\n  port: many\n  colour: red\n");
        assertThatThrownBy(() -> DaemonSettings.resolve(
                        Optional.of("70000"), Optional.empty(), Map.of("CORTEX_PORT", "x"), file))
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
