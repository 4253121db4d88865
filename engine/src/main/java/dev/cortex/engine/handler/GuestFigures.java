package dev.cortex.engine.handler;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** What neurons say of their sandboxes. What cannot be asked in time is not there. */
public final class GuestFigures {
    /** So many neurons are asked at once. */
    static final int AT_ONCE = 64;

    private final SandboxService sandboxes;

    public GuestFigures(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
    }

    Optional<GuestInfo> of(SandboxRow row, Duration deadline) {
        return asked(row, guest -> guest.info(deadline));
    }

    /** Of those that run. */
    public Map<SandboxRow, GuestInfo> of(List<SandboxRow> rows, Duration deadline) {
        List<SandboxRow> running =
                rows.stream().filter(row -> row.state() == State.RUNNING).toList();
        return all(running, guest -> guest.info(deadline));
    }

    /** The sessions of those in which some run. */
    Map<SandboxRow, List<SessionStatus>> sessions(Map<SandboxRow, GuestInfo> figures, Duration deadline) {
        List<SandboxRow> busy = figures.entrySet().stream()
                .filter(entry -> entry.getValue().sessionsRunning() > 0)
                .map(Map.Entry::getKey)
                .toList();
        return all(busy, guest -> guest.sessions(deadline));
    }

    /** To look at a sandbox is no activity of it. */
    private <T> Optional<T> asked(SandboxRow row, Function<Guest, T> question) {
        try {
            return Optional.of(question.apply(sandboxes.lookAt(row.id().value()).guest()));
        } catch (CortexException e) {
            return Optional.empty();
        }
    }

    private <T> Map<SandboxRow, T> all(List<SandboxRow> rows, Function<Guest, T> question) {
        Map<SandboxRow, T> answers = new ConcurrentHashMap<>();
        for (int from = 0; from < rows.size(); from += AT_ONCE) {
            List<Thread> asking = new ArrayList<>();
            for (SandboxRow row : rows.subList(from, Math.min(rows.size(), from + AT_ONCE))) {
                asking.add(Thread.ofVirtual()
                        .name("figures of " + row.name())
                        .start(() -> asked(row, question).ifPresent(answer -> answers.put(row, answer))));
            }
            if (!joined(asking)) {
                break;
            }
        }
        return Map.copyOf(answers);
    }

    private static boolean joined(List<Thread> threads) {
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
