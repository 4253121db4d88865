package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Lifecycle;
import dev.cortex.sandbox.Lifecycle.Outcome;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.Trigger;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import java.util.List;
import java.util.Optional;

/** Finds records by what a caller calls them. */
final class Records {
    /** So many names are compared for a suggestion. */
    private static final int COMPARED = 1_000;

    private final SandboxStore store;

    Records(SandboxStore store) {
        this.store = store;
    }

    /** @param nameOrId a name, or a whole id */
    Optional<SandboxRow> find(String nameOrId) {
        return nameOrId.startsWith("sb_") ? store.find(new SandboxId(nameOrId)) : store.findByName(nameOrId);
    }

    SandboxRow require(String nameOrId) {
        return find(nameOrId).orElseThrow(() -> unknown(nameOrId));
    }

    CortexException unknown(String nameOrId) {
        List<SandboxRow> others = store.list("", COMPARED);
        String remedy = nearest(nameOrId, others)
                .map(name -> "did you mean " + name + "? cortex ls shows all")
                .orElse(others.isEmpty() ? "make one: cortex create " + nameOrId : "cortex ls shows what there is");
        return CortexException.of(ErrorCode.NOT_FOUND, "there is no sandbox " + shown(nameOrId), remedy);
    }

    /** The state that {@code trigger} leads to; its refusal as an error. */
    static Outcome require(SandboxRow row, Trigger trigger) {
        Outcome outcome = Lifecycle.transition(row.state(), trigger);
        if (outcome instanceof Outcome.Refused refused) {
            throw refused.error(row.name());
        }
        return outcome;
    }

    private static Optional<String> nearest(String typed, List<SandboxRow> rows) {
        String best = "";
        int least = Math.max(2, typed.length() / 3) + 1;
        for (SandboxRow row : rows) {
            int distance = distance(typed, row.name());
            if (distance < least) {
                least = distance;
                best = row.name();
            }
        }
        return best.isEmpty() ? Optional.empty() : Optional.of(best);
    }

    /** Levenshtein's, on names of at most 63 characters. */
    private static int distance(String a, String b) {
        if (a.length() > 63) {
            return Integer.MAX_VALUE;
        }
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(Math.min(row[j - 1], above) + 1, replaced);
                diagonal = above;
            }
        }
        return row[b.length()];
    }

    private static String shown(String text) {
        return text.length() > 80 ? text.substring(0, 80) + "…" : text;
    }
}
