package dev.cortex.sandbox.service;

import dev.cortex.sandbox.disk.DiskPool;
import dev.cortex.sandbox.driver.Boot;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.guest.GuestConnector;
import dev.cortex.sandbox.image.ImageResolver;
import dev.cortex.sandbox.perimeter.Perimeter;
import dev.cortex.sandbox.spare.MemoryPressure;
import dev.cortex.sandbox.spare.SpareSettings;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.store.SessionArchive;
import java.time.Clock;
import java.util.List;

/**
 * Everything outside the core that it works with.
 *
 * @param drivers the strongest isolation first: {@code auto} takes the first that is ready
 */
public record Ports(
        SandboxStore store,
        SessionArchive archive,
        List<SandboxDriver> drivers,
        GuestConnector connector,
        ImageResolver images,
        Perimeter perimeter,
        Folders folders,
        DiskPool pool,
        Clock clock,
        Boot boot,
        Boundaries boundaries,
        SpareSettings spares,
        MemoryPressure memory) {
    public Ports {
        drivers = List.copyOf(drivers);
    }
}
