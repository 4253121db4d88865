package dev.cortex.engine;

import dev.cortex.drivers.launch.Installation;
import dev.cortex.protocol.home.Home;
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
 * @param boundaries told of each durable step, for crash injection
 */
public record CortexOptions(
        Home home,
        Path installation,
        Map<String, String> environment,
        List<SandboxDriver> moreDrivers,
        Clock clock,
        Boundaries boundaries) {

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
                Boundaries.NONE);
    }

    public CortexOptions with(SandboxDriver... drivers) {
        return new CortexOptions(home, installation, environment, List.of(drivers), clock, boundaries);
    }

    public CortexOptions with(Boundaries newBoundaries) {
        return new CortexOptions(home, installation, environment, moreDrivers, clock, newBoundaries);
    }

    public CortexOptions with(Clock newClock) {
        return new CortexOptions(home, installation, environment, moreDrivers, newClock, boundaries);
    }
}
