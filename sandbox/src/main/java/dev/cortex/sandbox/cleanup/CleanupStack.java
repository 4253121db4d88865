package dev.cortex.sandbox.cleanup;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Whatever is acquired registers its release at once; {@link #unwind} releases last in first out, each once, and goes on
 * when one fails. For one thread.
 */
public final class CleanupStack {
    private final Deque<Release> releases = new ArrayDeque<>();

    /** @param what is released, for the report of a failure */
    public void push(String what, Action action) {
        releases.push(new Release(what, action));
    }

    /** All went well: what was acquired stays. */
    public void dismiss() {
        releases.clear();
    }

    /** Releases everything and adds what failed to {@code cause} as suppressed; says what could not be released. */
    public List<String> unwind(Throwable cause) {
        List<String> left = new ArrayList<>();
        while (!releases.isEmpty()) {
            Release release = releases.pop();
            try {
                release.action().run();
            } catch (Exception e) {
                cause.addSuppressed(e);
                left.add(release.what() + ": " + e.getMessage());
            }
        }
        return left;
    }

    /** One release. */
    public interface Action {
        void run() throws Exception;
    }

    private record Release(String what, Action action) {}
}
