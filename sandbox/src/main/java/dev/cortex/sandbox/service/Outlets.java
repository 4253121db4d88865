package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Lifecycle;
import dev.cortex.sandbox.Lifecycle.Outcome;
import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.perimeter.DecisionLogFile;
import dev.cortex.sandbox.perimeter.Outlet;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;
import java.util.Optional;

/** Keeps the way out of each running sandbox open: where its events break off, they are opened again. */
final class Outlets {
    private static final System.Logger LOG = System.getLogger("dev.cortex.sandbox");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Ports ports;
    private final Drivers drivers;
    private final Guests guests;
    private final Background background;
    private final Announcing announcing;

    Outlets(Ports ports, Drivers drivers, Guests guests, Background background, Announcing announcing) {
        this.ports = ports;
        this.drivers = drivers;
        this.guests = guests;
        this.background = background;
        this.announcing = announcing;
    }

    /** Attends to a sandbox that is running, until it is not. */
    void attend(SandboxRow row) {
        if (drivers.named(row.settings().driver()).capabilities().has(Capability.EGRESS)) {
            background.start("egress of " + row.name(), () -> {
                keepOpen(row);
                // Looking for the end may have connected anew after whoever ended it had let go.
                guests.forget(row);
            });
        }
    }

    private void keepOpen(SandboxRow row) {
        Duration pause = FIRST_PAUSE;
        while (current(row).isPresent()) {
            long begun = System.nanoTime();
            try {
                ports.perimeter().attend(outlet(row));
            } catch (CortexException e) {
                if (e.code() == ErrorCode.UNSUPPORTED) {
                    // Its neuron was started without a proxy, by a daemon from before there was one.
                    return;
                }
                LOG.log(System.Logger.Level.DEBUG, row.name() + ": " + e.getMessage());
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, row.name() + ": its way out broke off, and is opened again", e);
            }
            boolean lasted = System.nanoTime() - begun > LONGEST_PAUSE.toNanos();
            pause = lasted ? FIRST_PAUSE : pause;
            if (!background.sleep(pause)) {
                return;
            }
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
    }

    private Outlet outlet(SandboxRow row) {
        return new Outlet(
                log(row),
                row.name(),
                () -> current(row).orElse(row).settings().terms().egress(),
                guests.of(row),
                decision -> announcing.decided(row, decision));
    }

    /** Where its decisions are kept. */
    DecisionLogFile log(SandboxRow row) {
        return new DecisionLogFile(row.id(), ports.folders().sandbox(row.id()));
    }

    /** The record, as long as it says that this very start is running. */
    private Optional<SandboxRow> current(SandboxRow row) {
        return background.closed()
                ? Optional.empty()
                : ports.store().find(row.id()).filter(now -> now.generation() == row.generation() && isUp(now));
    }

    private static boolean isUp(SandboxRow row) {
        return Lifecycle.transition(row.state(), Trigger.LOSE) instanceof Outcome.Becomes;
    }
}
