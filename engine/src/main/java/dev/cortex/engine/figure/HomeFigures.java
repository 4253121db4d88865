package dev.cortex.engine.figure;

import dev.cortex.engine.handler.GuestFigures;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.disk.PoolState;
import dev.cortex.sandbox.event.SandboxEvent;
import dev.cortex.sandbox.figure.Figure;
import dev.cortex.sandbox.figure.Figures;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.perimeter.Decision.Verdict;
import dev.cortex.sandbox.perimeter.EgressTotals;
import dev.cortex.sandbox.service.Orphans;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.spare.SpareTotals;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Sandboxes, sessions, egress, recovery and disks of a home in numbers. */
public final class HomeFigures implements Figures {
    /** A pool is asked through a program of its own. */
    private static final Duration POOL = Duration.ofSeconds(10);

    /** Every running neuron is asked. */
    private static final Duration SESSIONS = Duration.ofSeconds(10);

    /** Processes, mounts and control groups of the whole machine are gone through. */
    private static final Duration ORPHANS = Duration.ofMinutes(5);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final String DRIVER = "driver";

    private final SandboxService sandboxes;
    private final Aged<PoolState> pool;
    private final Aged<Long> sessions;
    private final Aged<Orphans.Found> orphans;

    public HomeFigures(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
        this.pool = new Aged<>("figures of the pool", POOL, sandboxes::pool);
        this.sessions = new Aged<>("figures of the sessions", SESSIONS, this::runningSessions);
        this.orphans = new Aged<>(
                "figures of orphans", ORPHANS, () -> sandboxes.pruning().look());
    }

    @Override
    public List<Figure> now() {
        List<Figure> all = new ArrayList<>();
        sandboxes(all);
        sessions.latest()
                .ifPresent(count -> all.add(Figure.gauge(
                        "cortex_sessions_running", "Sessions that run, in all running sandboxes.", count)));
        spares(all);
        events(all);
        egress(all);
        recovery(all);
        pool.latest().ifPresent(state -> disks(state, all));
        return List.copyOf(all);
    }

    private void sandboxes(List<Figure> all) {
        Figure figure = Figure.gauge("cortex_sandboxes", "Sandboxes by state and driver.", 0);
        Map<Kind, Long> counted = sandboxes.list("", Integer.MAX_VALUE).stream()
                .collect(Collectors.groupingBy(Kind::of, Collectors.counting()));
        counted.forEach((kind, count) -> all.add(figure.of("state", kind.state().word())
                .of(DRIVER, kind.driver())
                .at(count)));
        // A state that nobody is in is 0 and not unknown.
        for (State state : State.values()) {
            if (counted.keySet().stream().noneMatch(kind -> kind.state() == state)) {
                all.add(figure.of("state", state.word()).of(DRIVER, ""));
            }
        }
    }

    private record Kind(State state, String driver) {
        static Kind of(SandboxRow row) {
            String runtime = row.settings().runtime();
            return new Kind(row.state(), row.settings().driver() + (runtime.isEmpty() ? "" : "/" + runtime));
        }
    }

    /** A neuron's word is from inside its sandbox: it cannot have more sessions than it may have processes. */
    private long runningSessions() {
        Map<SandboxRow, GuestInfo> told =
                new GuestFigures(sandboxes).of(sandboxes.list("", Integer.MAX_VALUE), PATIENCE);
        return told.entrySet().stream()
                .mapToLong(entry -> Math.clamp(
                        entry.getValue().sessionsRunning(),
                        0,
                        Math.max(1, entry.getKey().settings().limits().processes())))
                .sum();
    }

    private void spares(List<Figure> all) {
        SpareTotals totals = sandboxes.spares().totals();
        Figure ready = Figure.gauge("cortex_spares_ready", "Sandboxes of the warm pool that wait for a create.", 0);
        totals.ready()
                .forEach((program, count) -> all.add(ready.of(DRIVER, program).at(count)));
        if (totals.ready().isEmpty()) {
            // None is 0 and not unknown.
            all.add(ready.of(DRIVER, ""));
        }
        Figure creates = Figure.counter(
                "cortex_spares_wanted_total",
                "Creates that a sandbox of the warm pool fits, by whether it got one.",
                0);
        all.add(creates.of("outcome", "handed_out").at(totals.handedOut()));
        all.add(creates.of("outcome", "missed").at(totals.missed()));
        Figure fills = Figure.counter(
                "cortex_spares_filled_total", "Attempts to start a sandbox ahead, by what became of them.", 0);
        all.add(fills.of("outcome", "ready").at(totals.filled()));
        all.add(fills.of("outcome", "failed").at(totals.failed()));
    }

    private void events(List<Figure> all) {
        Figure figure = Figure.counter("cortex_events_total", "Events by kind, as the stream of events tells them.", 0);
        sandboxes
                .events()
                .totals()
                .forEach((kind, count) -> all.add(figure.of("kind", kind).at(count)));
    }

    private void egress(List<Figure> all) {
        EgressTotals totals = sandboxes.egress().totals();
        Figure decisions = Figure.counter(
                "cortex_egress_decisions_total", "Connections that sandboxes asked for, by what became of them.", 0);
        for (Verdict verdict : Verdict.values()) {
            all.add(decisions
                    .of("verdict", verdict.word())
                    .at(totals.decisions().getOrDefault(verdict, 0L)));
        }
        all.add(Figure.gauge(
                "cortex_egress_connections", "Connections of sandboxes to the outside that are open.", totals.open()));
        Figure bytes =
                Figure.counter("cortex_egress_bytes_total", "Bytes that passed between sandboxes and the outside.", 0);
        all.add(bytes.of("direction", "out").at(totals.outBytes()));
        all.add(bytes.of("direction", "in").at(totals.inBytes()));
    }

    private void recovery(List<Figure> all) {
        Map<String, Long> kinds = sandboxes.events().totals();
        Figure figure = Figure.counter(
                "cortex_recoveries_total", "What this daemon found of an earlier one, by what became of it.", 0);
        all.add(figure.of("outcome", "reattached").at(kinds.getOrDefault(SandboxEvent.REATTACHED, 0L)));
        all.add(figure.of("outcome", "uncertain").at(kinds.getOrDefault(SandboxEvent.UNCERTAIN, 0L)));
        all.add(figure.of("outcome", "finished").at(sandboxes.finishedOfOthers()));
        orphans.latest()
                .ifPresent(found -> all.add(Figure.gauge(
                        "cortex_orphans",
                        "Things on the machine under this home's names that no record knows; see `cortex prune`.",
                        found.orphans().size())));
    }

    private void disks(PoolState state, List<Figure> all) {
        all.add(gauge("cortex_disk_pool_bytes", "Size of the pool of disks.", state.totalBytes()));
        all.add(gauge("cortex_disk_pool_free_bytes", "Free space in the pool of disks.", state.freeBytes()));
        all.add(gauge(
                "cortex_host_disk_bytes", "Size of the file system that the home lies on.", state.hostTotalBytes()));
        all.add(gauge(
                "cortex_host_disk_free_bytes",
                "Free space of the file system that the home lies on.",
                state.hostFreeBytes()));
        all.add(gauge(
                "cortex_disk_pool_problem",
                "1 while the pool cannot be used as it should; see `cortex doctor`.",
                state.problem().isPresent() ? 1 : 0));
        all.add(gauge(
                "cortex_disks",
                "Disks of sandboxes, and of names that are kept.",
                state.folders().size()));
        all.add(gauge(
                "cortex_disks_kept",
                "Disks whose sandbox is gone; see `cortex ls --all`.",
                sandboxes.keptDisks().size()));
    }

    private static Figure gauge(String name, String help, double value) {
        return Figure.gauge(name, help, value);
    }
}
