package dev.cortex.sandbox.service;

import dev.cortex.sandbox.event.EventBus;
import dev.cortex.sandbox.event.SandboxEvent;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.perimeter.Decision;
import dev.cortex.sandbox.store.SandboxRow;
import java.util.Optional;

/** Says what happened. */
final class Announcing {
    private final EventBus bus;

    Announcing(EventBus bus) {
        this.bus = bus;
    }

    void created(SandboxRow row) {
        say("sandbox.created", row, row.settings().driver());
    }

    void running(SandboxRow row) {
        say("sandbox.running", row, "");
    }

    void paused(SandboxRow row) {
        say("sandbox.paused", row, row.reason());
    }

    void resumed(SandboxRow row) {
        say("sandbox.resumed", row, "");
    }

    void stopped(SandboxRow row) {
        say("sandbox.stopped", row, row.reason());
    }

    void failed(SandboxRow row) {
        say("sandbox.error", row, row.reason());
    }

    void removed(SandboxRow row) {
        say("sandbox.removed", row, "");
    }

    void undone(SandboxRow row) {
        say("sandbox.removed", row, "its create did not succeed");
    }

    void reattached(SandboxRow row) {
        say(SandboxEvent.REATTACHED, row, "");
    }

    /** What is ambiguous is kept and reported. */
    void uncertain(SandboxRow row, String why) {
        say(SandboxEvent.UNCERTAIN, row, why);
    }

    void sessionStarted(SandboxRow row, SessionStatus session) {
        bus.publish("session.started", row.id(), row.name(), Optional.of(session.id()), session.label());
    }

    void sessionEnded(SandboxRow row, SessionStatus session) {
        String cause = session.cause()
                .map(c -> c.name().toLowerCase(java.util.Locale.ROOT))
                .orElse("");
        bus.publish("session.ended", row.id(), row.name(), Optional.of(session.id()), cause + " " + session.code());
    }

    /** A connection was let out, or not. */
    void decided(SandboxRow row, Decision decision) {
        String kind = "egress." + decision.verdict().word();
        String where = decision.host() + ":" + decision.port();
        Optional<String> session = Optional.of(decision.session()).filter(id -> !id.isEmpty());
        bus.publish(kind, row.id(), row.name(), session, where);
    }

    private void say(String kind, SandboxRow row, String detail) {
        bus.publish(kind, row.id(), row.name(), Optional.empty(), detail);
    }
}
