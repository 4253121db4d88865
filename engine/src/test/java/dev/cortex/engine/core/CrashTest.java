package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

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

    private interface Operation {
        void run(SandboxService core);
    }

    private enum Kind {
        CREATE(
                core -> {},
                core -> core.create(CoreHarness.running("new", "sleep").named("new"))),
        CREATE_STOPPED(core -> {}, core -> core.create(notStarted())),
        START(
                core -> {
                    core.create(dev.cortex.protocol.api.CreateSandbox.defaults().named("old"));
                    core.stop("old", NO_GRACE);
                },
                core -> core.start("old")),
        STOP(
                core -> {
                    core.create(dev.cortex.protocol.api.CreateSandbox.defaults().named("old"));
                    core.startSession("old", dev.cortex.protocol.api.StartSession.of("sleep"));
                },
                core -> core.stop("old", NO_GRACE)),
        REMOVE(
                core -> {
                    core.create(dev.cortex.protocol.api.CreateSandbox.defaults().named("old"));
                    core.stop("old", NO_GRACE);
                },
                core -> core.remove("old", false, false)),
        FORCE(
                core -> core.create(
                        dev.cortex.protocol.api.CreateSandbox.defaults().named("old")),
                core -> core.remove("old", true, false)),
        WIPE(
                core -> core.create(
                        dev.cortex.protocol.api.CreateSandbox.defaults().named("old")),
                core -> core.remove("old", true, true));

        private final Operation before;
        private final Operation crashing;

        Kind(Operation before, Operation crashing) {
            this.before = before;
            this.crashing = crashing;
        }

        private static dev.cortex.protocol.api.CreateSandbox notStarted() {
            var d = dev.cortex.protocol.api.CreateSandbox.defaults();
            return new dev.cortex.protocol.api.CreateSandbox(
                    Optional.of("new"),
                    d.driver(),
                    d.runtime(),
                    d.image(),
                    d.memoryBytes(),
                    d.cpus(),
                    d.processes(),
                    d.diskBytes(),
                    d.env(),
                    d.labels(),
                    d.user(),
                    d.workdir(),
                    Optional.of(false),
                    d.removeOnExit(),
                    d.primary(),
                    d.allowInsecureProcess(),
                    d.wipe());
        }
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
            kind.before.run(harness.core());
            counting[0] = true;
            kind.crashing.run(harness.core());
        }
        return steps;
    }

    private void dieAt(Kind kind, String step) throws Exception {
        boolean[] armed = {false};
        boolean[] dead = {false};
        try (CoreHarness harness = new CoreHarness(Files.createTempDirectory(folder, "crash")).at(crossed -> {
            if (dead[0] || armed[0] && crossed.equals(step)) {
                dead[0] = true;
                throw new Death(crossed);
            }
        })) {
            kind.before.run(harness.core());
            armed[0] = true;
            Throwable thrown = catchThrowable(() -> kind.crashing.run(harness.core()));
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
                    kind.crashing.run(core);
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
                assertThat(core.sessions("old")).hasSizeLessThanOrEqualTo(1);
                core.start("old");
            }
            case REMOVE, FORCE -> {
                assertThat(row).isEmpty();
                assertThat(harness.disks()).hasSize(1);
                core.create(dev.cortex.protocol.api.CreateSandbox.defaults().named("old"));
            }
            case WIPE -> {
                assertThat(row).isEmpty();
                assertThat(harness.disks()).isEmpty();
            }
        }
    }
}
