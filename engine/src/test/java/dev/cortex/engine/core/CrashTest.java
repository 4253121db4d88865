package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.SandboxRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The core dies at each step of each operation, and the next one opens the same home: every record is in a legal state,
 * nothing is unfinished, nothing is left that no record knows, and the operation can be made again.
 */
final class CrashTest {
    private static final Duration NO_GRACE = Duration.ofMillis(50);

    @TempDir
    private Path folder;

    /** As kill -9: nothing of the core runs after it. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;

        Death(String step) {
            super("died at " + step, null, false, false);
        }
    }

    /** What is made first, and the operation that dies. */
    private enum Kind {
        CREATE,
        CREATE_STOPPED,
        START,
        STOP,
        REMOVE,
        FORCE,
        WIPE;

        void before(SandboxService core) {
            switch (this) {
                case CREATE, CREATE_STOPPED -> {}
                case START, REMOVE -> {
                    core.create(CreateSandbox.defaults().named("old"));
                    core.stop("old", NO_GRACE);
                }
                case STOP -> {
                    core.create(CreateSandbox.defaults().named("old"));
                    core.sessions().start("old", StartSession.of("sleep"));
                }
                case FORCE, WIPE -> core.create(CreateSandbox.defaults().named("old"));
            }
        }

        void crash(SandboxService core) {
            switch (this) {
                case CREATE -> core.create(CoreHarness.running("new", "sleep"));
                case CREATE_STOPPED -> core.create(notStarted());
                case START -> core.start("old");
                case STOP -> core.stop("old", NO_GRACE);
                case REMOVE -> core.remove("old", false, false);
                case FORCE -> core.remove("old", true, false);
                case WIPE -> core.remove("old", true, true);
            }
        }
    }

    private static CreateSandbox notStarted() {
        return CreateSandbox.defaults().named("new").with(draft -> draft.start = Optional.of(false));
    }

    @TestFactory
    List<DynamicTest> theNextCoreFinishesWhatTheLastOneBegan() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            Set<String> steps = stepsOf(kind);
            assertThat(steps).as(kind + " crosses boundaries").isNotEmpty();
            for (String step : steps) {
                tests.add(DynamicTest.dynamicTest(kind + " dies at " + step, () -> dieAt(kind, step)));
            }
        }
        return tests;
    }

    private Set<String> stepsOf(Kind kind) throws IOException {
        Set<String> before = new CopyOnWriteArraySet<>();
        Set<String> steps = new LinkedHashSet<>();
        boolean[] counting = {false};
        try (CoreHarness harness = new CoreHarness(Files.createTempDirectory(folder, "steps")).at(step -> {
            if (counting[0]) {
                steps.add(step);
            } else {
                before.add(step);
            }
        })) {
            kind.before(harness.core());
            counting[0] = true;
            kind.crash(harness.core());
        }
        return steps;
    }

    private void dieAt(Kind kind, String step) throws Exception {
        boolean[] armed = {false};
        boolean[] dead = {false};
        try (CoreHarness harness = new CoreHarness(Files.createTempDirectory(folder, "crash")).at(crossed -> {
            if (dead[0] || (armed[0] && crossed.equals(step))) {
                dead[0] = true;
                throw new Death(crossed);
            }
        })) {
            kind.before(harness.core());
            armed[0] = true;
            Throwable thrown = catchThrowable(() -> kind.crash(harness.core()));
            assertThat(thrown).isInstanceOf(Death.class);
            SandboxService next = harness.reopen();
            harness.assertConsistent();
            assertThat(harness.store().list("", 9))
                    .extracting(SandboxRow::state)
                    .doesNotContain(State.ERROR);
            again(kind, next, harness);
            harness.assertConsistent();
        }
    }

    /** The operation, made again or found done. */
    private static void again(Kind kind, SandboxService core, CoreHarness harness) throws IOException {
        Optional<SandboxRow> row = harness.store().list("", 9).stream().findFirst();
        switch (kind) {
            case CREATE, CREATE_STOPPED -> {
                if (row.isEmpty()) {
                    assertThat(harness.disks()).isEmpty();
                    kind.crash(core);
                }
                assertThat(harness.store().list("", 9)).hasSize(1);
            }
            case START -> {
                if (row.orElseThrow().state() != State.RUNNING) {
                    core.start("old");
                }
                assertThat(harness.state("old")).isEqualTo(State.RUNNING);
            }
            case STOP -> {
                assertThat(row.orElseThrow().state()).isEqualTo(State.STOPPED);
                assertThat(core.sessions().list("old")).hasSizeLessThanOrEqualTo(1);
                core.start("old");
            }
            case REMOVE, FORCE -> {
                assertThat(row).isEmpty();
                assertThat(harness.disks()).hasSize(1);
                core.create(CreateSandbox.defaults().named("old"));
            }
            case WIPE -> {
                assertThat(row).isEmpty();
                assertThat(harness.disks()).isEmpty();
            }
        }
    }
}
