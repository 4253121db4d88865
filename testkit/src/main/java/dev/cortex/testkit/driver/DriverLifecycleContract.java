package dev.cortex.testkit.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every driver promises of starting, observing and stopping, whatever runs in the sandbox. */
public abstract class DriverLifecycleContract {
    private final List<Trial> trials = new ArrayList<>();

    protected abstract DriverUnderTest subject();

    @BeforeEach
    void theDriverIsReady() {
        SandboxDriver driver = subject().driver();
        Readiness readiness = subject().runtime().map(driver::check).orElseGet(driver::check);
        assertThat(readiness.missing())
                .as("this machine must be able to run the driver; run ./dev test, which installs what is missing")
                .isEmpty();
    }

    @AfterEach
    void removeEverything() {
        trials.reversed().forEach(Trial::close);
    }

    /** A sandbox of this test alone. */
    protected final Trial trial() {
        Trial trial = new Trial(subject(), trials.size());
        trials.add(trial);
        return trial;
    }

    protected final Observation observed(Trial trial, Handle handle) {
        return trial.driver().observe(List.of(handle)).getOrDefault(handle, Observation.UNKNOWN);
    }

    protected final void assertNothingLeft(Trial trial) {
        StartRequest request = trial.request();
        assertThat(subject().leftovers(request, request.sandbox())).isEmpty();
        assertThat(Leftovers.mounts(trial.folder())).isEmpty();
        assertThat(subject().socket(request)).doesNotExist();
    }

    /** The error that a call must end with. */
    protected static CortexException refused(ThrowingCallable call) {
        CortexException refusal = catchThrowableOfType(CortexException.class, call);
        assertThat(refusal).isNotNull();
        return refusal;
    }

    /** Waits for what comes soon after, with a deadline far beyond it. */
    protected static void eventually(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + Trial.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited for %s", Trial.PATIENCE).isLessThan(end);
            Thread.sleep(Duration.ofMillis(10));
        }
    }

    @Test
    void aStartedSandboxIsSeenRunningAndAStoppedOneAbsent() {
        Trial trial = trial();
        Handle handle = trial.start();
        assertThat(handle.driver()).isEqualTo(trial.driver().name());
        assertThat(handle.sandbox()).isEqualTo(trial.request().sandbox());
        assertThat(observed(trial, handle)).isEqualTo(Observation.RUNNING);
        trial.stop(handle);
        assertThat(observed(trial, handle)).isEqualTo(Observation.ABSENT);
        assertNothingLeft(trial);
    }

    @Test
    void stoppingTwiceIsNoError() {
        Trial trial = trial();
        Handle handle = trial.start();
        trial.stop(handle);
        trial.stop(handle);
        assertNothingLeft(trial);
    }

    @Test
    void stoppingFromTheIdAloneIsEnough() {
        Trial trial = trial();
        Handle handle = trial.start();
        trial.driver().stop(trial.stopRequest(Optional.empty()));
        assertNothingLeft(trial);
        assertThat(observed(trial, handle)).isEqualTo(Observation.ABSENT);
    }

    @Test
    void stoppingWhatWasNeverStartedIsNoError() {
        Trial trial = trial();
        trial.driver().stop(trial.stopRequest(Optional.empty()));
        assertNothingLeft(trial);
    }

    @Test
    void manyAreObservedInOneCallAndEachByItself() {
        Trial one = trial();
        Trial two = trial();
        Handle first = one.start();
        Handle second = two.start();
        one.stop(first);
        assertThat(two.driver().observe(List.of(first, second)))
                .containsEntry(first, Observation.ABSENT)
                .containsEntry(second, Observation.RUNNING);
    }

    @Test
    void aRestartedDaemonSeesItByTheStoredHandle() {
        Trial trial = trial();
        Handle handle = trial.start();
        Handle stored = new Handle(
                new String(handle.driver().toCharArray()),
                handle.version(),
                handle.sandbox(),
                new String(handle.data().toCharArray()));
        SandboxDriver restarted = subject().driver();
        assertThat(restarted.observe(List.of(stored))).containsEntry(stored, Observation.RUNNING);
    }

    @Test
    void aHandleThatIsNotUnderstoodIsUnknownAndNeverAbsent() {
        Trial trial = trial();
        Handle odd = new Handle(trial.driver().name(), 4_711, trial.request().sandbox(), "{}");
        assertThat(observed(trial, odd)).isEqualTo(Observation.UNKNOWN);
    }

    @Test
    void aRuntimeThatItLacksIsRefusedBeforeAnythingHappens() {
        Trial trial = trial();
        StartRequest request = trial.request();
        StartRequest odd = new StartRequest(
                request.sandbox(),
                request.hostname(),
                request.home(),
                request.slot(),
                Optional.of("no-such-runtime"),
                request.image(),
                request.limits(),
                request.terms(),
                request.disk(),
                request.runFolder(),
                request.folder());
        assertThat(refused(() -> trial.driver().start(odd)).code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(Leftovers.files(trial.folder()))
                .containsExactlyInAnyOrder(
                        "file " + request.disk(), "file " + request.runFolder(), "file " + request.folder());
    }

    @Test
    void aWipedDiskIsGoneAndWipingItAgainIsNoError() {
        Trial trial = trial();
        trial.stop(trial.start());
        trial.driver().wipeDisk(trial.request().disk());
        assertThat(trial.request().disk()).doesNotExist();
        trial.driver().wipeDisk(trial.request().disk());
    }
}
