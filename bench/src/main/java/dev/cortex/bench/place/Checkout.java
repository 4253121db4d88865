package dev.cortex.bench.place;

import java.io.IOException;
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

    /** Whether its daemon has that setting, as {@code cortex serve --help} says. */
    public boolean knows(String setting) {
        try {
            return Command.run(script().toString(), "serve", "--help").contains(setting);
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    public Path bench(String program) {
        return out().resolve("bench").resolve("bin").resolve(program);
    }
}
