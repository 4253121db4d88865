package dev.cortex.e2e.front;

import org.junit.jupiter.api.Tag;

@Tag("slow")
final class RuncBombIT extends BombContract {
    @Override
    String runtime() {
        return "runc";
    }
}
