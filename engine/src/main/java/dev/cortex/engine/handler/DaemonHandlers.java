package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Daemon.DriverReadiness;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.event.SandboxEvent;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Health, readiness, events. */
final class DaemonHandlers {
    private final SandboxService sandboxes;
    private final Home home;
    private final String version;
    private final Instant opened;
    private final Clock clock;

    DaemonHandlers(SandboxService sandboxes, Home home, String version, Instant opened, Clock clock) {
        this.sandboxes = sandboxes;
        this.home = home;
        this.version = version;
        this.opened = opened;
        this.clock = clock;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.HEALTH, (Handler.Json<Void, Daemon.Health>) call -> health());
        handlers.put(Operations.READINESS, (Handler.Json<Void, Daemon.Readiness>)
                call -> readiness(sandboxes.drivers().all()));
        handlers.put(Operations.EVENTS, (Handler.Events<Daemon.Event>) (call, to) -> {
            Predicate<SandboxEvent> wanted =
                    new Parameters(call).text("sandbox").map(this::only).orElse(event -> true);
            return sandboxes.events().subscribe(event -> {
                if (wanted.test(event)) {
                    to.offer(Views.event(event));
                }
            });
        });
    }

    private Daemon.Health health() {
        return new Daemon.Health(
                "ok",
                version,
                home.folder().toString(),
                ProcessHandle.current().pid(),
                Duration.between(opened, clock.instant()).toMillis(),
                sandboxes.count());
    }

    /** A gap concerns everybody; a sandbox that comes later is known by its name. */
    private Predicate<SandboxEvent> only(String nameOrId) {
        Optional<SandboxRow> row = sandboxes.list("", Integer.MAX_VALUE).stream()
                .filter(r -> r.name().equals(nameOrId) || r.id().value().equals(nameOrId))
                .findFirst();
        return event -> event.sandbox().isEmpty()
                || event.name().equals(nameOrId)
                || row.map(r -> event.sandbox().get().equals(r.id())).orElse(false);
    }

    static Daemon.Readiness readiness(List<SandboxDriver> drivers) {
        List<DriverReadiness> shown = new ArrayList<>();
        String auto = "";
        for (SandboxDriver driver : drivers) {
            for (Readiness readiness : ofEachRuntime(driver)) {
                String name = driver.name()
                        + readiness.runtime().map(runtime -> "/" + runtime).orElse("");
                boolean chosen = auto.isEmpty()
                        && readiness.ready()
                        && driver.capabilities().has(Capability.ISOLATION);
                auto = chosen ? name : auto;
                shown.add(shown(driver, readiness, chosen));
            }
        }
        return new Daemon.Readiness(shown, auto);
    }

    private static List<Readiness> ofEachRuntime(SandboxDriver driver) {
        return driver.runtimes().isEmpty()
                ? List.of(driver.check())
                : driver.runtimes().stream().map(driver::check).toList();
    }

    private static DriverReadiness shown(SandboxDriver driver, Readiness readiness, boolean chosen) {
        return new DriverReadiness(
                driver.name(),
                readiness.runtime().orElse(""),
                readiness.ready() ? "ready" : "missing",
                String.join("; ", readiness.notes()),
                chosen,
                readiness.missing().stream()
                        .map(missing -> new Daemon.Missing(missing.what(), missing.fix(), missing.installable()))
                        .toList());
    }
}
