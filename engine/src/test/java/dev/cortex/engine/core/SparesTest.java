package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.service.Boundary;
import dev.cortex.sandbox.spare.SpareSettings;
import dev.cortex.sandbox.spare.SpareTotals;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.testkit.fake.FakeMachine.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The warm pool over a fake machine. */
final class SparesTest {
    private static final SpareSettings TWO = new SpareSettings(2, "build");

    @TempDir
    private Path folder;

    private CoreHarness harness;

    @BeforeEach
    void open() {
        harness = new CoreHarness(folder);
        harness.spares = TWO;
    }

    @AfterEach
    void close() {
        harness.close();
    }

    private Set<SandboxId> spares() {
        return new HashSet<>(
                harness.store().spares().all().stream().map(SpareRow::id).toList());
    }

    private Set<SandboxId> replenished() {
        harness.core().spares().replenish();
        return spares();
    }

    @Test
    void nothingIsStartedAheadUnlessAskedFor() {
        harness.spares = SpareSettings.OFF;
        harness.create("api");
        assertThat(replenished()).isEmpty();
        assertThat(harness.machine.alive()).hasSize(1);
    }

    @Test
    void aCreateGetsASpareWithItsIdAndItsOwnName() throws Exception {
        Set<SandboxId> spares = replenished();
        assertThat(spares).hasSize(2);
        assertThat(harness.machine.alive()).isEqualTo(spares);
        SandboxRow row = harness.core().create(CoreHarness.running("api", "sleep"));
        assertThat(spares).contains(row.id());
        assertThat(row.state()).isEqualTo(State.RUNNING);
        assertThat(row.generation()).isEqualTo(1);
        assertThat(harness.machine.hostname(row.id())).isEqualTo("api");
        assertThat(harness.machine
                        .neuron(row.id())
                        .orElseThrow()
                        .identity()
                        .orElseThrow()
                        .hostname())
                .isEqualTo("api");
        assertThat(harness.core().sessions().list("api")).hasSize(1);
        assertThat(spares()).hasSize(1).doesNotContain(row.id());
        harness.assertConsistent();
    }

    @Test
    void noListShowsASpare() {
        replenished();
        assertThat(harness.core().list("", 9)).isEmpty();
        assertThat(harness.core().count()).isZero();
        assertThat(harness.core().keptDisks()).isEmpty();
        SandboxId spare = spares().iterator().next();
        assertThatThrownBy(() -> harness.core().remove(spare.value(), true, true))
                .hasMessageContaining("there is no sandbox");
        assertThatThrownBy(() -> harness.core().stop(spare.value(), Duration.ZERO))
                .hasMessageContaining("there is no sandbox");
    }

    @Test
    void aSpareIsNoOrphan() {
        replenished();
        assertThat(harness.core().pruning().look().nothing()).isTrue();
        assertThat(harness.core().pruning().apply(harness.core().pruning().look(), true))
                .isEmpty();
        assertThat(harness.machine.alive()).hasSize(2);
    }

    @Test
    void twoCreatesNeverGetTheSameSpare() throws Exception {
        harness.spares = new SpareSettings(16, "build");
        Set<SandboxId> spares = replenished();
        List<Future<SandboxRow>> made = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 48; i++) {
                String name = "api-" + i;
                made.add(threads.submit(() -> harness.create(name)));
            }
        }
        Set<SandboxId> ids = new HashSet<>();
        Set<Integer> slots = new HashSet<>();
        for (Future<SandboxRow> row : made) {
            ids.add(row.get().id());
            slots.add(row.get().slot());
        }
        assertThat(ids).hasSize(48).containsAll(spares);
        assertThat(slots).hasSize(48);
        assertThat(spares()).isEmpty();
        harness.assertConsistent();
    }

    @Test
    void whatIsFixedAtTheStartMustBeTheSame() {
        Set<SandboxId> spares = replenished();
        SandboxRow other = harness.core()
                .create(CreateSandbox.defaults().named("big").with(draft -> draft.memoryBytes = Optional.of(1L << 30)));
        assertThat(spares).doesNotContain(other.id());
        SandboxRow stopped = harness.core()
                .create(CreateSandbox.defaults().named("later").with(draft -> draft.start = Optional.of(false)));
        assertThat(spares).doesNotContain(stopped.id());
        assertThat(spares()).isEqualTo(spares);
    }

    @Test
    void aKindThatWasAskedForIsMadeAheadToo() {
        harness.core()
                .create(CreateSandbox.defaults().named("big").with(draft -> draft.memoryBytes = Optional.of(1L << 30)));
        assertThat(replenished()).hasSize(4);
        SandboxRow second = harness.core()
                .create(CreateSandbox.defaults()
                        .named("bigger")
                        .with(draft -> draft.memoryBytes = Optional.of(1L << 30)));
        assertThat(spares()).hasSize(3).doesNotContain(second.id());
    }

    @Test
    void aNameWithAKeptDiskGetsThatDisk() throws Exception {
        harness.create("api");
        harness.core().remove("api", true, false);
        Set<SandboxId> spares = replenished();
        SandboxRow again = harness.create("api");
        assertThat(spares).doesNotContain(again.id());
        assertThat(spares()).isEqualTo(spares);
        harness.assertConsistent();
    }

    @Test
    void aNameThatIsTakenGivesTheSpareBack() {
        harness.create("api");
        Set<SandboxId> spares = replenished();
        assertThatThrownBy(() -> harness.create("api")).hasMessageContaining("the name api is taken");
        assertThat(replenished()).isEqualTo(spares);
        assertThat(spares).contains(harness.create("other").id());
    }

    @Test
    void aSpareThatDiesIsReplaced() {
        Set<SandboxId> spares = replenished();
        SandboxId dead = spares.iterator().next();
        harness.machine.kill(dead);
        harness.eventually(() -> !spares().contains(dead));
        assertThat(replenished()).hasSize(2).doesNotContain(dead);
    }

    @Test
    void aSpareThatIsOfNoUseCostsTheCreateNothingButTime() throws Exception {
        Set<SandboxId> spares = replenished();
        harness.machine.fail(Fault.NAME);
        SandboxRow row = harness.create("api");
        assertThat(spares).doesNotContain(row.id());
        assertThat(row.state()).isEqualTo(State.RUNNING);
        assertThat(spares()).hasSize(1);
        harness.machine.heal();
        harness.assertConsistent();
    }

    @Test
    void theNextOwnerTakesThemOver() throws Exception {
        Set<SandboxId> spares = replenished();
        harness.reopen();
        assertThat(spares()).isEqualTo(spares);
        assertThat(spares).contains(harness.create("api").id());
        harness.assertConsistent();
    }

    @Test
    void theNextOwnerRemovesWhatItCannotUse() throws Exception {
        Set<SandboxId> spares = replenished();
        harness.spares = new SpareSettings(2, "another build");
        harness.reopen();
        assertThat(spares()).isEmpty();
        assertThat(harness.machine.alive()).isEmpty();
        assertThat(harness.disks()).isEmpty();
        assertThat(replenished()).hasSize(2).doesNotContainAnyElementsOf(spares);
        harness.machine.kill(spares().iterator().next());
        harness.spares = SpareSettings.OFF;
        harness.reopen();
        assertThat(spares()).isEmpty();
        assertThat(harness.machine.alive()).isEmpty();
        harness.assertConsistent();
    }

    @Test
    void onePassObservesSandboxesAndSparesTogether() throws Exception {
        harness.create("api");
        replenished();
        int before = harness.machine.observations();
        harness.reopen();
        assertThat(harness.machine.observations() - before).isEqualTo(1);
    }

    @Test
    void withoutMemoryThereAreNone() throws Exception {
        assertThat(replenished()).hasSize(2);
        harness.shortOfMemory = true;
        assertThat(replenished()).isEmpty();
        harness.assertConsistent();
        harness.shortOfMemory = false;
        assertThat(replenished()).hasSize(2);
    }

    @Test
    void onAFullDiskOneIsGivenBackBeforeACreateIsRefused() {
        replenished();
        harness.pool.fill();
        assertThatThrownBy(() -> harness.create("api"))
                .isInstanceOf(CortexException.class)
                .hasMessageContaining("the pool is full");
        assertThat(spares()).isEmpty();
    }

    @Test
    void whatCouldNotBeRemovedIsTriedAgainAndNoneIsMadeMeanwhile() throws Exception {
        Hands clock = new Hands();
        harness.clock = clock;
        Set<SandboxId> spares = replenished();
        SandboxId dead = spares.iterator().next();
        harness.machine.fail(Fault.STOP);
        harness.shortOfMemory = true;
        assertThat(replenished()).as("what is left").isEqualTo(spares);
        harness.shortOfMemory = false;
        clock.move(Duration.ofMinutes(1));
        assertThat(replenished()).as("still left, and none beside it").isEqualTo(spares);
        harness.machine.heal();
        assertThat(replenished()).as("left alone for a while").contains(dead);
        clock.move(Duration.ofMinutes(2));
        assertThat(replenished()).hasSize(2).doesNotContainAnyElementsOf(spares);
        harness.assertConsistent();
    }

    @Test
    void aFillThatCouldNotBeTakenBackIsTakenBackLater() throws Exception {
        Hands clock = new Hands();
        harness.clock = clock;
        harness.machine.fail(Fault.START);
        harness.machine.fail(Fault.STOP);
        Set<SandboxId> left = replenished();
        assertThat(left).hasSize(1);
        assertThat(harness.core().spares().totals().failed()).isEqualTo(1);
        clock.move(Duration.ofHours(1));
        assertThat(replenished()).as("no second one beside it").isEqualTo(left);
        harness.machine.heal();
        clock.move(Duration.ofHours(1));
        assertThat(replenished()).hasSize(2).doesNotContainAnyElementsOf(left);
        harness.assertConsistent();
    }

    @Test
    void aCreateThatLeftARecordIsNotRepeatedAndSaysWhy() {
        harness.at(step -> {
            if (step == Boundary.HANDLE_STORED) {
                throw CortexException.of(ErrorCode.CAPACITY, "no room", "");
            }
        });
        Set<SandboxId> spares = replenished();
        harness.machine.fail(Fault.STOP);
        assertThatThrownBy(() -> big("api")).hasMessageContaining("no room");
        assertThat(harness.core().spares().totals().ready()).as("still ready").isEqualTo(Map.of("strong/fakerun", 2L));
        assertThat(spares()).isEqualTo(spares);
        assertThat(harness.state("api")).isEqualTo(State.ERROR);
    }

    @Test
    void thePoolIsEmptiedOnceForAllCreatesThatFailTogether() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        CyclicBarrier together = new CyclicBarrier(2);
        harness.at(step -> {
            if (step == Boundary.HANDLE_STORED) {
                if (tries.incrementAndGet() <= 2) {
                    meet(together);
                }
                throw CortexException.of(ErrorCode.CAPACITY, "no room", "");
            }
        });
        replenished();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<SandboxRow>> made = List.of(threads.submit(() -> big("one")), threads.submit(() -> big("two")));
            for (Future<SandboxRow> row : made) {
                assertThatThrownBy(row::get).hasMessageContaining("no room");
            }
        }
        assertThat(tries).as("each was repeated once").hasValue(4);
        assertThat(spares()).isEmpty();
        assertThatThrownBy(() -> big("three")).hasMessageContaining("no room");
        assertThat(tries).as("nothing was there to give up").hasValue(5);
        harness.assertConsistent();
    }

    private SandboxRow big(String name) {
        return harness.core()
                .create(CreateSandbox.defaults().named(name).with(draft -> draft.memoryBytes = Optional.of(1L << 30)));
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(CoreHarness.SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException("the other create did not come", e);
        }
    }

    @Test
    void whatBecameOfSparesIsCounted() {
        replenished();
        harness.create("api");
        big("big");
        SpareTotals totals = harness.core().spares().totals();
        assertThat(totals.ready()).isEqualTo(Map.of("strong/fakerun", 1L));
        assertThat(totals.handedOut()).isEqualTo(1);
        assertThat(totals.missed()).isEqualTo(1);
        assertThat(totals.filled()).isEqualTo(2);
        assertThat(totals.failed()).isZero();
    }

    @Test
    void anImageThatGoesTakesItsSparesAlong() {
        harness.digest = "sha256:" + "a".repeat(64);
        assertThat(replenished()).hasSize(2);
        harness.core().spares().leave(harness.digest);
        assertThat(spares()).isEmpty();
    }

    @Test
    void drainingLeavesNothing() throws Exception {
        assertThat(replenished()).hasSize(2);
        SandboxRow kept = harness.create("api");
        harness.core().spares().drain();
        assertThat(harness.machine.alive()).containsExactly(kept.id());
        assertThat(replenished()).as("none are made any more").isEmpty();
        harness.assertConsistent();
    }

    @Test
    void aFailureThatNobodyThoughtOfDoesNotEndThePool() throws Exception {
        AtomicInteger fills = new AtomicInteger();
        harness.at(step -> {
            if (step == Boundary.FILL_FOLDERS && fills.incrementAndGet() == 1) {
                throw new IllegalStateException("nobody thought of this");
            }
        });
        harness.core().prepare(() -> {});
        harness.eventually(() -> fills.get() > 0);
        // Whoever asks wakes it.
        harness.create("api");
        harness.eventually(() -> spares().size() == 2 && fills.get() > 2);
        harness.core().spares().drain();
        harness.assertConsistent();
    }

    @Test
    void inTheBackgroundItFillsByItself() {
        harness.core().prepare(() -> {});
        harness.eventually(() -> spares().size() == 2);
        SandboxRow row = harness.create("api");
        harness.eventually(() -> spares().size() == 2);
        assertThat(spares()).doesNotContain(row.id());
        harness.core().sessions().start("api", StartSession.of("sleep"));
    }
}
