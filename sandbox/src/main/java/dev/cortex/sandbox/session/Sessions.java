package dev.cortex.sandbox.session;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sessions of one sandbox, those that its neuron holds and those of earlier runs that the host has kept. */
public final class Sessions {
    /** Of candidates that an error names. */
    private static final int SHOWN = 8;

    private static final int WHOLE_ID = 18;

    private final SandboxRow row;
    private final Optional<Guest> guest;
    private final SessionArchive archive;
    private final Path folder;

    /** @param guest where it is running */
    public Sessions(SandboxRow row, Optional<Guest> guest, SessionArchive archive, Path folder) {
        this.row = row;
        this.guest = guest;
        this.archive = archive;
        this.folder = folder;
    }

    /** All, oldest first. */
    public List<SessionStatus> all() {
        Map<String, SessionStatus> all = new LinkedHashMap<>();
        archived().forEach(session -> all.put(session.id(), session));
        guest.ifPresent(live -> live.sessions().forEach(session -> all.put(session.id(), session)));
        return List.copyOf(all.values());
    }

    /**
     * Finds a session by its id or the beginning of one, with or without {@code s_}.
     *
     * @throws CortexException NOT_FOUND; INVALID_ARGUMENT naming the candidates where several begin so
     */
    public Found find(String idOrPrefix) {
        String prefix = idOrPrefix.startsWith("s_") ? idOrPrefix : "s_" + idOrPrefix;
        if (prefix.length() == WHOLE_ID) {
            // The common case asks for one session, not for a thousand.
            Optional<Found> live = guest.flatMap(g -> status(g, prefix));
            return live.or(() -> archived().stream()
                            .filter(session -> session.id().equals(prefix))
                            .findFirst()
                            .map(session -> new Found(session, false)))
                    .orElseThrow(() -> unknown(idOrPrefix));
        }
        List<Found> candidates = new ArrayList<>();
        List<SessionStatus> live = guest.map(Guest::sessions).orElse(List.of());
        live.stream().filter(s -> s.id().startsWith(prefix)).forEach(s -> candidates.add(new Found(s, true)));
        archived().stream()
                .filter(s -> s.id().startsWith(prefix))
                .filter(s -> live.stream().noneMatch(other -> other.id().equals(s.id())))
                .forEach(s -> candidates.add(new Found(s, false)));
        if (candidates.size() > 1) {
            throw ambiguous(idOrPrefix, candidates);
        }
        return candidates.stream().findFirst().orElseThrow(() -> unknown(idOrPrefix));
    }

    private static Optional<Found> status(Guest guest, String id) {
        try {
            return Optional.of(new Found(guest.status(id, java.time.Duration.ZERO), true));
        } catch (CortexException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** What was kept of a pause that is over is no news of what runs. */
    private List<SessionStatus> archived() {
        try {
            List<SessionStatus> kept = archive.sessions(folder);
            return row.state() == State.PAUSED
                    ? kept
                    : kept.stream()
                            .map(s -> s.cause().isPresent() ? s : s.endedUnseen(s.started()))
                            .toList();
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.INTERNAL, "the sessions of " + row.name() + " cannot be read", "see daemon.log")
                    .because(e);
        }
    }

    private CortexException unknown(String id) {
        String shown = id.length() > 40 ? id.substring(0, 40) + "…" : id;
        return CortexException.of(
                ErrorCode.NOT_FOUND, row.name() + " has no session " + shown, "cortex sessions " + row.name());
    }

    private static CortexException ambiguous(String prefix, List<Found> candidates) {
        List<String> ids = candidates.stream()
                .map(found -> found.status().id())
                .limit(SHOWN)
                .toList();
        String more = candidates.size() > SHOWN ? " and " + (candidates.size() - SHOWN) + " more" : "";
        return CortexException.of(
                ErrorCode.INVALID_ARGUMENT,
                "several sessions begin with " + prefix + ": " + String.join(", ", ids) + more,
                "type more of the id");
    }

    /** @param live held by the neuron; else archived */
    public record Found(SessionStatus status, boolean live) {}
}
