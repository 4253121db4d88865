package dev.cortex.sandbox;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** Everything that is wrong with a request, told at once. For one thread. */
public final class Problems {
    private final List<String> found = new ArrayList<>();

    /** Notes a problem unless {@code holds}. */
    public void require(boolean holds, String problem) {
        if (!holds) {
            found.add(problem);
        }
    }

    public void add(String problem) {
        found.add(problem);
    }

    public boolean none() {
        return found.isEmpty();
    }

    /** @throws CortexException INVALID_ARGUMENT with all problems, if there are any */
    public void throwIfAny(String remedy) {
        if (!found.isEmpty()) {
            throw CortexException.of(ErrorCode.INVALID_ARGUMENT, String.join("; ", found), remedy);
        }
    }
}
