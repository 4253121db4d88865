package dev.cortex.e2e.front;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class RuncAttackIT extends AttackContract {
    @Override
    String runtime() {
        return "runc";
    }

    @Override
    boolean countsItsOwnWatches() {
        return false;
    }
}
