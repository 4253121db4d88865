package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Lifetime;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.service.Boundary;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.spare.SpareSettings;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.testkit.fake.FakeMachine.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

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

        Death(Boundary step) {
            super("died at " + step.word(), null, false, false);
        }
    }

    /** Steps of what nobody asked for: a loss that is seen, and a start after a boot of the machine. */
    private static final List<Boundary> WHILE_RECOVERING =
            List.of(Boundary.LOST_SEEN, Boundary.RESTART_BEGUN, Boundary.RESTART_RELEASED);

    /** What is made first, and the operation that dies. */
    private enum Kind {
        CREATE,
        CREATE_STOPPED,
        START,
        STOP,
        PAUSE,
        RESUME,
        STOP_PAUSED,
        REMOVE_PAUSED,
        RESET,
        REMOVE,
        FORCE,
        WIPE,
        FILL,
        HAND_OUT,
        DRAIN;

        /** The warm pool is off where the operation is none of its own. */
        CoreHarness in(CoreHarness harness) {
            if (this == FILL || this == HAND_OUT || this == DRAIN) {
                harness.spares = new SpareSettings(1, "build");
            }
            return harness;
        }

        void before(CoreHarness harness) {
            SandboxService core = harness.core();
            switch (this) {
                case CREATE, CREATE_STOPPED, FILL -> {}
                case HAND_OUT, DRAIN -> core.spares().replenish();
                case START, REMOVE -> {
                    core.create(CreateSandbox.defaults().named("old"));
                    core.stop("old", NO_GRACE);
                }
                case STOP -> {
                    core.create(CreateSandbox.defaults().named("old"));
                    core.sessions().start("old", StartSession.of("sleep"));
                }
                case PAUSE -> {
                    core.create(CreateSandbox.defaults().named("old"));
                    core.sessions().start("old", StartSession.of("sleep"));
                }
                case RESUME, STOP_PAUSED, REMOVE_PAUSED -> {
                    core.create(CreateSandbox.defaults().named("old"));
                    core.sessions().start("old", StartSession.of("sleep"));
                    core.pause("old");
                }
                case RESET -> {
                    core.create(CreateSandbox.defaults().named("old"));
                    harness.machine.fail(Fault.STOP);
                    assertThatThrownBy(() -> core.stop("old", NO_GRACE)).hasMessageContaining("injected");
                    harness.machine.heal();
                }
                case FORCE, WIPE -> core.create(CreateSandbox.defaults().named("old"));
            }
        }

        void crash(CoreHarness harness) {
            SandboxService core = harness.core();
            switch (this) {
                case FILL -> core.spares().replenish();
                case DRAIN -> {
                    harness.shortOfMemory = true;
                    core.spares().replenish();
                }
                case CREATE, HAND_OUT -> core.create(CoreHarness.running("new", "sleep"));
                case CREATE_STOPPED -> core.create(notStarted());
                case START -> core.start("old");
                case STOP, STOP_PAUSED -> core.stop("old", NO_GRACE);
                case PAUSE -> core.pause("old");
                case RESUME -> core.resume("old");
                case RESET -> core.reset("old");
                case REMOVE, REMOVE_PAUSED -> core.remove("old", false, false);
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
            Set<Boundary> steps = stepsOf(kind);
            assertThat(steps).as(kind + " crosses boundaries").isNotEmpty();
            for (Boundary step : steps) {
                tests.add(DynamicTest.dynamicTest(kind + " dies at " + step.word(), () -> dieAt(kind, step)));
            }
        }
        return tests;
    }

    @Test
    void everyBoundaryIsDiedAtBySomeOperation() throws IOException {
        Set<Boundary> crossed = new HashSet<>();
        for (Kind kind : Kind.values()) {
            crossed.addAll(stepsOf(kind));
        }
        crossed.addAll(WHILE_RECOVERING);
        assertThat(crossed).containsExactlyInAnyOrder(Boundary.values());
    }

    /** The core that recovers dies itself, and the one after it finishes. */
    @ParameterizedTest
    @FieldSource("WHILE_RECOVERING")
    void theOneAfterTheNextFinishesToo(Boundary step) throws Exception {
        try (CoreHarness harness = new CoreHarness(Files.createTempDirectory(folder, "recovering"))) {
            SandboxRow row = harness.core().create(restarting("old"));
            SandboxRow other = harness.create("other");
            harness.die();
            harness.machine.kill(row.id());
            harness.machine.kill(other.id());
            harness.boot = "another";
            CountDownLatch died = new CountDownLatch(1);
            harness.at(crossed -> {
                if (died.getCount() == 0 || crossed == step) {
                    died.countDown();
                    throw new Death(crossed);
                }
            });
            harness.core();
            assertThat(died.await(CoreHarness.SOON.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            harness.reopen();
            harness.assertConsistent();
            assertThat(harness.state("old")).isEqualTo(State.RUNNING);
            assertThat(harness.state("other")).isEqualTo(State.STOPPED);
        }
    }

    private static CreateSandbox restarting(String name) {
        return CreateSandbox.defaults()
                .named(name)
                .with(draft -> draft.lifetime = Optional.of(
                        new Lifetime(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of("on-boot"))));
    }

    private Set<Boundary> stepsOf(Kind kind) throws IOException {
        Set<Boundary> steps = new LinkedHashSet<>();
        boolean[] counting = {false};
        try (CoreHarness harness = kind.in(new CoreHarness(Files.createTempDirectory(folder, "steps")))
                .at(step -> {
                    if (counting[0]) {
                        steps.add(step);
                    }
                })) {
            kind.before(harness);
            counting[0] = true;
            kind.crash(harness);
        }
        return steps;
    }

    private void dieAt(Kind kind, Boundary step) throws Exception {
        boolean[] armed = {false};
        boolean[] dead = {false};
        try (CoreHarness harness = kind.in(new CoreHarness(Files.createTempDirectory(folder, "crash")))
                .at(crossed -> {
                    if (dead[0] || (armed[0] && crossed.equals(step))) {
                        dead[0] = true;
                        throw new Death(crossed);
                    }
                })) {
            kind.before(harness);
            armed[0] = true;
            Throwable thrown = catchThrowable(() -> kind.crash(harness));
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
                    kind.crash(harness);
                }
                assertThat(harness.store().list("", 9)).hasSize(1);
            }
            case START -> {
                if (row.orElseThrow().state() != State.RUNNING) {
                    core.start("old");
                }
                assertThat(harness.state("old")).isEqualTo(State.RUNNING);
            }
            case PAUSE -> {
                if (row.orElseThrow().state() != State.PAUSED) {
                    core.pause("old");
                }
                assertThat(harness.state("old")).isEqualTo(State.PAUSED);
                core.resume("old");
                assertThat(core.sessions().list("old")).hasSize(1);
            }
            case RESUME -> {
                if (row.orElseThrow().state() != State.RUNNING) {
                    core.resume("old");
                }
                assertThat(core.sessions()
                                .exec("old", StartSession.of("echo", "on"), Optional.empty())
                                .stdout())
                        .asString()
                        .isEqualTo("on\n");
            }
            case RESET -> {
                assertThat(row.orElseThrow().state()).isEqualTo(State.STOPPED);
                core.start("old");
            }
            case STOP, STOP_PAUSED -> {
                assertThat(row.orElseThrow().state()).isEqualTo(State.STOPPED);
                assertThat(core.sessions().list("old")).hasSizeLessThanOrEqualTo(1);
                core.start("old");
            }
            case REMOVE, FORCE, REMOVE_PAUSED -> {
                assertThat(row).isEmpty();
                assertThat(harness.disks()).hasSize(1);
                core.create(CreateSandbox.defaults().named("old"));
            }
            case FILL, DRAIN -> {
                harness.shortOfMemory = false;
                core.spares().replenish();
                assertThat(row).isEmpty();
                assertThat(harness.store().spares().all()).hasSize(1);
                assertThat(harness.disks()).hasSize(1);
            }
            case HAND_OUT -> {
                if (row.isEmpty()) {
                    kind.crash(harness);
                }
                assertThat(harness.state("new")).isEqualTo(State.RUNNING);
                assertThat(core.sessions().list("new")).hasSize(1);
            }
            case WIPE -> {
                assertThat(row).isEmpty();
                assertThat(harness.disks()).isEmpty();
            }
        }
    }
}
