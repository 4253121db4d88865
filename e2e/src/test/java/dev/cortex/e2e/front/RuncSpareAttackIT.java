package dev.cortex.e2e.front;

import org.junit.jupiter.api.Tag;

/** What was started ahead withstands what all others do. */
@Tag("slow")
final class RuncSpareAttackIT extends AttackContract {
    @Override
    String runtime() {
        return "runc";
    }

    @Override
    boolean countsItsOwnWatches() {
        return false;
    }

    @Override
    boolean startedAhead() {
        return true;
    }
}
