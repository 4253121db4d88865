package dev.cortex.testkit.fake;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.guest.GuestEvents;
import dev.cortex.sandbox.perimeter.Decision;
import dev.cortex.sandbox.perimeter.DecisionLogFile;
import dev.cortex.sandbox.perimeter.EgressTotals;
import dev.cortex.sandbox.perimeter.Outlet;
import dev.cortex.sandbox.perimeter.Perimeter;
import dev.cortex.sandbox.terms.Egress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Attends to sandboxes as long as their neurons live, lets nothing out, and remembers what it was told. Thread-safe. */
public final class FakePerimeter implements Perimeter {
    /** Terms that were put in force, and whose. */
    public record Replaced(SandboxId sandbox, Egress terms) {}

    private final List<Outlet> attended = new CopyOnWriteArrayList<>();
    private final List<Replaced> replaced = new CopyOnWriteArrayList<>();

    /** Every outlet that was ever attended to, in order. */
    public List<Outlet> attended() {
        return attended;
    }

    public List<Replaced> replaced() {
        return replaced;
    }

    @Override
    public Egress normalised(Egress terms) {
        return new Egress(terms.allowHosts().stream().distinct().toList());
    }

    @Override
    public void attend(Outlet outlet) {
        attended.add(outlet);
        try (GuestEvents events = outlet.guest().events()) {
            events.next();
        }
    }

    @Override
    public void replace(SandboxId sandbox, Egress terms) {
        replaced.add(new Replaced(sandbox, terms));
    }

    @Override
    public List<Decision> decisions(DecisionLogFile file, int most) {
        return List.of();
    }

    @Override
    public AutoCloseable follow(SandboxId sandbox, Consumer<Decision> to) {
        return () -> {};
    }

    @Override
    public EgressTotals totals() {
        return EgressTotals.NONE;
    }

    @Override
    public void close() {
        attended.clear();
    }
}
