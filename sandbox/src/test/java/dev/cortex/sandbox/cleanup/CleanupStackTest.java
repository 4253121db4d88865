package dev.cortex.sandbox.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CleanupStackTest {
    private final CleanupStack stack = new CleanupStack();
    private final List<String> done = new ArrayList<>();

    @Test
    void releasesLastInFirstOut() {
        stack.push("a", () -> done.add("a"));
        stack.push("b", () -> done.add("b"));
        assertThat(stack.unwind(new Exception())).isEmpty();
        assertThat(done).containsExactly("b", "a");
    }

    @Test
    void releasesOnce() {
        stack.push("a", () -> done.add("a"));
        stack.unwind(new Exception());
        stack.unwind(new Exception());
        assertThat(done).containsExactly("a");
    }

    @Test
    void goesOnWhenOneFailsAndKeepsEveryError() {
        Exception cause = new Exception("the cause");
        stack.push("a", () -> {
            throw new IOException("a is stuck");
        });
        stack.push("b", () -> done.add("b"));
        stack.push("c", () -> {
            throw new IllegalStateException("c is stuck");
        });
        assertThat(stack.unwind(cause)).containsExactly("c: c is stuck", "a: a is stuck");
        assertThat(done).containsExactly("b");
        assertThat(cause.getSuppressed()).extracting(Throwable::getMessage).containsExactly("c is stuck", "a is stuck");
    }

    @Test
    void whatIsDismissedStays() {
        stack.push("a", () -> done.add("a"));
        stack.dismiss();
        stack.unwind(new Exception());
        assertThat(done).isEmpty();
    }
}
