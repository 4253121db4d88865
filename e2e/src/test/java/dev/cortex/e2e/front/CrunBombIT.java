package dev.cortex.e2e.front;

final class CrunBombIT extends BombContract {
    @Override
    String runtime() {
        return "crun";
    }
}
