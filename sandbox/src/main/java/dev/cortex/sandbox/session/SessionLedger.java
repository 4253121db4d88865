package dev.cortex.sandbox.session;

import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.guest.SessionStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sessions that this process has seen, so that they are not forgotten with a sandbox that is lost. Their neuron is
 * the authority for as long as it lives. Thread-safe.
 */
public final class SessionLedger {
    /** A neuron keeps as many statuses. */
    private static final int MOST = 1_000;

    private final Map<SandboxId, Map<String, SessionStatus>> seen = new ConcurrentHashMap<>();

    public void saw(SandboxId sandbox, SessionStatus status) {
        seen.compute(sandbox, (id, present) -> {
            Map<String, SessionStatus> sessions = present == null ? new LinkedHashMap<>() : present;
            sessions.put(status.id(), status);
            if (sessions.size() > MOST) {
                sessions.remove(sessions.keySet().iterator().next());
            }
            return sessions;
        });
    }

    public void forget(SandboxId sandbox) {
        seen.remove(sandbox);
    }

    /** What is left to say of the sessions of a sandbox that was lost: how they ended is unknown. */
    public List<SessionStatus> lost(SandboxId sandbox, Instant now) {
        List<SessionStatus> lost = new ArrayList<>();
        seen.computeIfPresent(sandbox, (id, sessions) -> {
            sessions.values().forEach(status -> lost.add(lost(status, now)));
            return sessions;
        });
        return lost;
    }

    private static SessionStatus lost(SessionStatus s, Instant now) {
        boolean ended = s.cause().isPresent();
        return new SessionStatus(
                s.id(),
                s.pid(),
                s.argv(),
                s.user(),
                s.terminal(),
                s.background(),
                s.label(),
                s.started(),
                ended ? s.ended() : Optional.of(now),
                ended ? s.cause() : Optional.of(SessionStatus.Cause.UNKNOWN),
                s.code(),
                s.newest(),
                s.newest(),
                true,
                false,
                0,
                0);
    }
}
