package dev.cortex.engine;

import dev.cortex.drivers.disk.PoolSettings;
import dev.cortex.drivers.launch.Installation;
import dev.cortex.drivers.launch.LinuxBoot;
import dev.cortex.drivers.launch.WaitingLaunchers;
import dev.cortex.protocol.home.Home;
import dev.cortex.sandbox.driver.Boot;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.service.Boundaries;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/**
 * How a home is opened.
 *
 * @param installation the folder with {@code bin/neuron} and {@code bin/launcher}
 * @param environment of this process; an allow list of it reaches sandboxes of the driver {@code process}
 * @param moreDrivers behind the built-in ones
 * @param disks how it keeps its disks
 * @param boot tells boots of the machine apart
 * @param boundaries told of each durable step, for crash injection
 * @param spares so many sandboxes of each kind in use are started ahead, 0 to 64; 0 unless asked for
 * @param launchers so many processes wait ahead for the next start, 0 to 16; 0 unless asked for
 */
public record CortexOptions(
        Home home,
        Path installation,
        Map<String, String> environment,
        List<SandboxDriver> moreDrivers,
        Clock clock,
        PoolSettings disks,
        Boot boot,
        Boundaries boundaries,
        int spares,
        int launchers) {
    public static final int MOST_LAUNCHERS = WaitingLaunchers.MOST;

    public CortexOptions {
        environment = Map.copyOf(environment);
        moreDrivers = List.copyOf(moreDrivers);
    }

    /** The home of this process: {@code CORTEX_HOME}, or the default of its user. */
    public static CortexOptions defaults() {
        return at(Home.current());
    }

    public static CortexOptions at(Home home) {
        return new CortexOptions(
                home,
                Installation.fromProperty().folder(),
                System.getenv(),
                List.of(),
                Clock.systemUTC(),
                PoolSettings.of(System.getenv()),
                LinuxBoot.read(),
                CrashPoint.of(System.getenv(), Boolean.getBoolean(CrashPoint.PROPERTY)),
                0,
                0);
    }

    public CortexOptions with(SandboxDriver... drivers) {
        return new CortexOptions(
                home, installation, environment, List.of(drivers), clock, disks, boot, boundaries, spares, launchers);
    }

    public CortexOptions with(Boundaries newBoundaries) {
        return new CortexOptions(
                home, installation, environment, moreDrivers, clock, disks, boot, newBoundaries, spares, launchers);
    }

    public CortexOptions with(Clock newClock) {
        return new CortexOptions(
                home, installation, environment, moreDrivers, newClock, disks, boot, boundaries, spares, launchers);
    }

    public CortexOptions with(PoolSettings newDisks) {
        return new CortexOptions(
                home, installation, environment, moreDrivers, clock, newDisks, boot, boundaries, spares, launchers);
    }

    /**
     * @param choice auto, folder or btrfs
     * @throws dev.cortex.protocol.error.CortexException INVALID_ARGUMENT when it is another
     */
    public CortexOptions withDiskPool(String choice) {
        return with(disks.with(PoolSettings.parse("disk-pool", choice)));
    }

    public CortexOptions with(Boot newBoot) {
        return new CortexOptions(
                home, installation, environment, moreDrivers, clock, disks, newBoot, boundaries, spares, launchers);
    }

    /** The same, with a warm pool. */
    public CortexOptions withSpares(int each) {
        return new CortexOptions(
                home, installation, environment, moreDrivers, clock, disks, boot, boundaries, each, launchers);
    }

    /** The same, with so many launchers waiting. */
    public CortexOptions withLaunchers(int most) {
        return new CortexOptions(
                home, installation, environment, moreDrivers, clock, disks, boot, boundaries, spares, most);
    }
}
