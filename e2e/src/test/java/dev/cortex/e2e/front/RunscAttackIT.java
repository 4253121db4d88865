package dev.cortex.e2e.front;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class RunscAttackIT extends AttackContract {
    @Override
    String runtime() {
        return "runsc";
    }
}
