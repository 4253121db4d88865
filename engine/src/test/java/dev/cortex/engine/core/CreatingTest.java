package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.service.Boundary;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.testkit.fake.FakeMachine.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CreatingTest {
    @TempDir
    private Path folder;

    private CoreHarness harness;

    @BeforeEach
    void open() {
        harness = new CoreHarness(folder);
    }

    @AfterEach
    void close() {
        harness.close();
    }

    @Test
    void aSandboxIsRunningWhenCreateReturns() throws Exception {
        SandboxRow row = harness.create("api");
        assertThat(row.state()).isEqualTo(State.RUNNING);
        assertThat(row.slot()).isZero();
        assertThat(row.settings().runtime()).isEqualTo("fakerun");
        var identity = harness.machine.neuron(row.id()).orElseThrow().identity().orElseThrow();
        assertThat(identity.hostname()).isEqualTo("api");
        assertThat(identity.machineId()).matches("[0-9a-f]{32}");
        assertThat(identity.token()).isEqualTo(row.token());
        harness.assertConsistent();
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"START", "INITIALIZE"})
    void whatFailsBeforeTheNeuronAnswersLeavesNothingAndCanBeTriedAgain(Fault fault) throws Exception {
        harness.core();
        harness.machine.fail(fault);
        assertThatThrownBy(() -> harness.create("api"))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("injected");
        harness.assertConsistent();
        assertThat(harness.store().list("", 9)).isEmpty();
        assertThat(harness.disks()).isEmpty();
        harness.machine.heal();
        assertThat(harness.create("api").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void withoutRoomForAnotherDiskNothingIsRecorded() throws Exception {
        harness.core();
        harness.pool.fill();
        assertThatThrownBy(() -> harness.create("api"))
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
        assertThat(harness.store().list("", 9)).isEmpty();
        assertThat(harness.store().intents()).isEmpty();
        assertThat(harness.store().disks()).isEmpty();
    }

    @Test
    void aKeptDiskKeepsItsLimitUntilAnotherIsAskedFor() {
        assertThat(limited(Optional.empty())).isEqualTo(10L << 30);
        assertThat(limited(Optional.of(64L << 20))).isEqualTo(64L << 20);
        assertThat(limited(Optional.empty())).isEqualTo(64L << 20);
        assertThat(harness.store().disk("api").orElseThrow().limitBytes()).isEqualTo(64L << 20);
    }

    private long limited(Optional<Long> asked) {
        SandboxRow row =
                harness.core().create(CreateSandbox.defaults().named("api").with(d -> d.diskBytes = asked));
        harness.core().remove("api", true, false);
        return row.settings().limits().diskBytes();
    }

    @Test
    void aDiskThatWasThereBeforeOutlivesACreateThatFails() throws Exception {
        harness.create("api");
        harness.core().remove("api", true, false);
        assertThat(harness.disks()).hasSize(1);
        harness.machine.fail(Fault.START);
        assertThatThrownBy(() -> harness.create("api")).isInstanceOf(CortexException.class);
        assertThat(harness.disks()).hasSize(1);
        harness.machine.heal();
        harness.create("api");
        assertThat(harness.disks()).hasSize(1);
    }

    @Test
    void aCreateThatCannotBeUndoneIsKeptAsAnErrorThatSaysWhatIsLeft() {
        harness.core();
        harness.machine.fail(Fault.INITIALIZE);
        harness.machine.fail(Fault.STOP);
        assertThatThrownBy(() -> harness.create("api")).isInstanceOf(CortexException.class);
        SandboxRow row = harness.core().find("api");
        assertThat(row.state()).isEqualTo(State.ERROR);
        assertThat(row.reason()).contains("processes");
        harness.machine.heal();
        assertThat(harness.core().remove("api", false, true).left()).isEmpty();
    }

    @Test
    void anInterruptedCreateLeavesNothingBehind() throws Exception {
        CountDownLatch there = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        harness.at(step -> {
            if (step == Boundary.HANDLE_STORED) {
                there.countDown();
                sleepThroughInterrupts();
            }
        });
        harness.core();
        Thread creating = Thread.ofVirtual().start(() -> {
            try {
                harness.create("api");
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        });
        there.await();
        creating.interrupt();
        creating.join();
        assertThat(thrown.get())
                .isInstanceOfSatisfying(
                        CortexException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(harness.store().list("", 9)).isEmpty();
        assertThat(harness.disks()).isEmpty();
        harness.assertConsistent();
    }

    private static void sleepThroughInterrupts() {
        try {
            Thread.sleep(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aFailureRightBehindTheRecordLeavesNoRecord() throws Exception {
        harness.at(step -> {
            if (step == Boundary.CREATE_DISK) {
                throw new IllegalStateException("injected");
            }
        });
        assertThatThrownBy(() -> harness.create("api")).isInstanceOf(CortexException.class);
        assertThat(harness.store().list("", 9)).isEmpty();
        harness.assertConsistent();
        harness.reopen();
        assertThat(harness.create("api").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void aNameIsTakenOnce() {
        harness.create("api");
        CortexException e = catchThrowableOfType(CortexException.class, () -> harness.create("api"));
        assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
        assertThat(e.remedy().orElseThrow()).contains("cortex rm --force api");
    }

    @Test
    void autoIsNeverADriverWithoutIsolation() {
        harness.core();
        assertThat(harness.create("api").settings().driver()).isEqualTo("strong");
        harness.machine.fail(Fault.NOT_READY);
        CortexException e = catchThrowableOfType(CortexException.class, () -> harness.create("web"));
        assertThat(e.code()).isEqualTo(ErrorCode.NOT_READY);
        assertThat(e.getMessage()).contains("fakerun is missing");
        assertThat(e.remedy()).contains("apt-get install -y fakerun");
    }

    @Test
    void aDriverWithoutIsolationNeedsTheCallersWord() {
        CortexException e = catchThrowableOfType(
                CortexException.class,
                () -> harness.core().create(CreateSandbox.defaults().on("weak")));
        assertThat(e.code()).isEqualTo(ErrorCode.DENIED);
        assertThat(e.remedy().orElseThrow()).contains("CORTEX_ALLOW_INSECURE_PROCESS=1");
        SandboxRow row =
                harness.core().create(CreateSandbox.defaults().on("weak").allowingInsecureProcess());
        assertThat(row.settings().limits().memoryBytes())
                .as("a default that cannot be held is shown as none")
                .isZero();
    }

    @Test
    void aLimitThatTheDriverCannotHoldIsRefusedWhenItWasAskedFor() {
        CreateSandbox request = CreateSandbox.defaults().with(draft -> draft.cpus = Optional.of(1.5));
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> harness.core().create(request));
        assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(e.getMessage()).contains("CPU_LIMIT");
    }

    @Test
    void everyProblemOfARequestIsToldAtOnceAndNothingIsMade() {
        CreateSandbox request = CreateSandbox.defaults().with(draft -> {
            draft.memoryBytes = Optional.of(5L);
            draft.cpus = Optional.of(-1.0);
            draft.env = Map.of("A=B", "x");
            draft.workdir = Optional.of("relative");
            draft.removeOnExit = Optional.of(true);
        });
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> harness.core().create(request));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(e.getMessage()).contains("memory", "cpus", "variable", "workdir", "primary");
        assertThat(harness.store().list("", 9)).isEmpty();
    }

    @Test
    void aKeptDiskOfAnotherImageIsAMismatchUntilItIsWiped() throws Exception {
        harness.digest = "sha256:" + "1".repeat(64);
        harness.create("api");
        harness.core().remove("api", true, false);
        harness.digest = "sha256:" + "2".repeat(64);
        CortexException e = catchThrowableOfType(CortexException.class, () -> harness.create("api"));
        assertThat(e.code()).isEqualTo(ErrorCode.DISK_MISMATCH);
        assertThat(e.remedy().orElseThrow()).contains("cortex rm --wipe api");
        assertThat(harness.core().keptDisks()).hasSize(1);
        harness.core().remove("api", false, true);
        assertThat(harness.create("api").state()).isEqualTo(State.RUNNING);
        assertThat(harness.disks()).hasSize(1);
    }

    @Test
    void aSandboxWithoutANameTakesItsDiskWithIt() throws Exception {
        SandboxRow row = harness.core().create(CreateSandbox.defaults());
        assertThat(harness.core().remove(row.name(), true, false).diskKept()).isFalse();
        assertThat(harness.disks()).isEmpty();
        harness.assertConsistent();
    }

    @Test
    void aSandboxThatIsNotStartedIsCreated() {
        CreateSandbox request = CreateSandbox.defaults().named("api").with(draft -> draft.start = Optional.of(false));
        assertThat(harness.core().create(request).state()).isEqualTo(State.CREATED);
        assertThat(harness.machine.alive()).isEmpty();
        assertThat(harness.core().start("api").state()).isEqualTo(State.RUNNING);
        assertThat(harness.core().stop("api", Duration.ZERO).state()).isEqualTo(State.STOPPED);
    }

    @Test
    void aStartThatFailsLeavesTheSandboxAsItWas() throws Exception {
        harness.create("api");
        harness.core().stop("api", Duration.ZERO);
        harness.machine.fail(Fault.INITIALIZE);
        assertThatThrownBy(() -> harness.core().start("api")).isInstanceOf(CortexException.class);
        assertThat(harness.state("api")).isEqualTo(State.STOPPED);
        harness.assertConsistent();
        harness.machine.heal();
        assertThat(harness.core().start("api").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void anIllegalTransitionNamesWhatIsLegal() {
        harness.create("api");
        CortexException start =
                catchThrowableOfType(CortexException.class, () -> harness.core().start("api"));
        assertThat(start.code()).isEqualTo(ErrorCode.ILLEGAL_TRANSITION);
        assertThat(start).hasMessage("api is already running");
        assertThat(start.remedy().orElseThrow()).contains("from running you can: ", "pause", "stop");
        CortexException remove =
                catchThrowableOfType(CortexException.class, () -> harness.core().remove("api", false, false));
        assertThat(remove.remedy().orElseThrow()).contains("cortex rm --force api");
    }

    @Test
    void aNameThatIsNotThereIsNotFoundWithASuggestion() {
        harness.create("backend");
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> harness.core().find("bakend"));
        assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(e.remedy().orElseThrow()).contains("backend");
    }

    @Test
    void aPrimaryIsStartedOnce() {
        SandboxRow row = harness.core().create(CoreHarness.running("job", "sleep"));
        assertThat(harness.machine.neuron(row.id()).orElseThrow().started()).isEqualTo(1);
        assertThat(harness.core().sessions().list("job"))
                .singleElement()
                .satisfies(s -> assertThat(s.id()).isEqualTo(row.primary()));
    }

    @Test
    void aBadPrimaryIsRefusedBeforeAnythingIsMade() {
        CreateSandbox request = CreateSandbox.defaults().running(StartSession.of("a\0b"));
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> harness.core().create(request));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(harness.machine.alive()).isEmpty();
    }
}
