package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.EgressChange;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.perimeter.Decision;
import dev.cortex.sandbox.perimeter.EgressTotals;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.terms.Egress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** What sandboxes may reach, and what was decided about it. Thread-safe; throws {@link CortexException}. */
public final class SandboxEgress {
    private static final Duration CHANGE = Duration.ofSeconds(5);

    private final Ports ports;
    private final Drivers drivers;
    private final Records records;
    private final Exclusive exclusive;
    private final Function<SandboxRow, Optional<SandboxRow>> settle;
    private final Outlets outlets;

    SandboxEgress(
            Ports ports,
            Drivers drivers,
            Records records,
            Exclusive exclusive,
            Function<SandboxRow, Optional<SandboxRow>> settle,
            Outlets outlets) {
        this.ports = ports;
        this.drivers = drivers;
        this.records = records;
        this.exclusive = exclusive;
        this.settle = settle;
        this.outlets = outlets;
    }

    /** What was decided and carried for all sandboxes so far. */
    public EgressTotals totals() {
        return ports.perimeter().totals();
    }

    /** What it may reach now. */
    public Egress of(String sandbox) {
        SandboxRow row = records.require(sandbox);
        requirePerimeter(row);
        return row.settings().terms().egress();
    }

    /** Changes what it may reach, at once: connections that are not allowed any more are cut before this returns. */
    public Egress change(String sandbox, EgressChange change) {
        return exclusive.on(sandbox, "egress set", CHANGE, settle, row -> change(row, change));
    }

    private Egress change(SandboxRow row, EgressChange change) {
        requirePerimeter(row);
        Egress now = changed(row, change);
        ports.store().update(row.with(row.settings().with(row.settings().terms().with(now))));
        ports.perimeter().replace(row.id(), now);
        return now;
    }

    private Egress changed(SandboxRow row, EgressChange change) {
        List<String> rules = new ArrayList<>();
        if (!change.only().orElse(false)) {
            rules.addAll(row.settings().terms().egress().allowHosts());
        }
        for (String dropped :
                ports.perimeter().normalised(new Egress(change.dropHosts())).allowHosts()) {
            if (!rules.remove(dropped)) {
                throw CortexException.of(
                        ErrorCode.NOT_FOUND,
                        row.name() + " has no rule " + dropped,
                        "cortex egress show " + row.name());
            }
        }
        rules.addAll(change.allowHosts());
        return ports.perimeter().normalised(new Egress(rules));
    }

    /** The latest decisions, oldest first; those of earlier runs too. */
    public List<Decision> decisions(String sandbox, int most) {
        SandboxRow row = records.require(sandbox);
        requirePerimeter(row);
        return ports.perimeter().decisions(outlets.log(row), most);
    }

    /** Calls {@code to} with each decision to come, on a thread of its own, until the result is closed. */
    public AutoCloseable follow(String sandbox, Consumer<Decision> to) {
        SandboxRow row = records.require(sandbox);
        requirePerimeter(row);
        return ports.perimeter().follow(row.id(), to);
    }

    private void requirePerimeter(SandboxRow row) {
        var driver = drivers.named(row.settings().driver());
        if (!driver.capabilities().has(Capability.EGRESS)) {
            throw drivers.unsupported(driver, Capability.EGRESS, "egress by name");
        }
    }
}
