package dev.cortex.engine.handler;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What neurons say of their sandboxes. What cannot be asked in time is not there. */
final class GuestFigures {
    /** So many neurons are asked at once. */
    static final int AT_ONCE = 64;

    private final SandboxService sandboxes;

    GuestFigures(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
    }

    Optional<GuestInfo> of(SandboxRow row, Duration deadline) {
        try {
            return Optional.of(sandboxes.running(row.id().value()).guest().info(deadline));
        } catch (CortexException e) {
            return Optional.empty();
        }
    }

    /** Of those that run. */
    Map<SandboxRow, GuestInfo> of(List<SandboxRow> rows, Duration deadline) {
        List<SandboxRow> running =
                rows.stream().filter(row -> row.state() == State.RUNNING).toList();
        Map<SandboxRow, GuestInfo> figures = new ConcurrentHashMap<>();
        for (int from = 0; from < running.size(); from += AT_ONCE) {
            List<Thread> asking = new ArrayList<>();
            for (SandboxRow row : running.subList(from, Math.min(running.size(), from + AT_ONCE))) {
                asking.add(Thread.ofVirtual()
                        .name("figures of " + row.name())
                        .start(() -> of(row, deadline).ifPresent(info -> figures.put(row, info))));
            }
            if (!joined(asking)) {
                break;
            }
        }
        return Map.copyOf(figures);
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
