package dev.cortex.e2e.front;

final class CrunAttackIT extends AttackContract {
    @Override
    String runtime() {
        return "crun";
    }
}
