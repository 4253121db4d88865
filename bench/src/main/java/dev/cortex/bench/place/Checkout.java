package dev.cortex.bench.place;

import java.nio.file.Path;

/**
 * A built source tree of Cortex.
 *
 * @param label what its contenders are called beside others: {@code cortex}, or a revision
 */
public record Checkout(Path root, String label) {
    public Path script() {
        return root.resolve("cortex");
    }

    public Path out() {
        return root.resolve("out");
    }

    public Path bench(String program) {
        return out().resolve("bench").resolve("bin").resolve(program);
    }
}
