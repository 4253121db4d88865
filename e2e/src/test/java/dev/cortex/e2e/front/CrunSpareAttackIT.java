package dev.cortex.e2e.front;

import org.junit.jupiter.api.Tag;

/** What was started ahead withstands what all others do. */
@Tag("slow")
final class CrunSpareAttackIT extends AttackContract {
    @Override
    String runtime() {
        return "crun";
    }

    @Override
    boolean startedAhead() {
        return true;
    }
}
