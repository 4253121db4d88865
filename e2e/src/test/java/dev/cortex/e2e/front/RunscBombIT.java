package dev.cortex.e2e.front;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class RunscBombIT extends BombContract {
    @Override
    String runtime() {
        return "runsc";
    }
}
