package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Lifetime;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.guest.SessionStatus.Cause;
import dev.cortex.sandbox.store.SandboxRow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long sandboxes live by themselves, by a clock that a test moves. */
final class LifetimesTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir
    private Path folder;

    private final Hands clock = new Hands();
    private CoreHarness harness;

    @BeforeEach
    void open() {
        harness = new CoreHarness(folder);
        harness.clock = clock;
    }

    @AfterEach
    void close() {
        harness.close();
    }

    private SandboxRow create(String name, Optional<Duration> timeout, Optional<Duration> idle, String then) {
        return harness.core().create(request(name, timeout, idle, then));
    }

    private static CreateSandbox request(
            String name, Optional<Duration> timeout, Optional<Duration> idle, String then) {
        return CreateSandbox.defaults()
                .named(name)
                .with(draft -> draft.lifetime = Optional.of(new Lifetime(
                        timeout.map(Duration::toMillis),
                        idle.map(Duration::toMillis),
                        Optional.of(then),
                        Optional.empty())));
    }

    /** Long enough for the timer to look several times. */
    private static void letItLook() throws InterruptedException {
        Thread.sleep(1_500);
    }

    @Test
    void whatIsIdleForTooLongIsStoppedAndSaysWhy() throws Exception {
        create("api", Optional.empty(), Optional.of(HOUR), "stop");
        clock.move(Duration.ofMinutes(59));
        letItLook();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        assertThat(harness.core().why(harness.core().find("api"), List.of())).isEqualTo("idle for 59m, limit 1h");
        clock.move(Duration.ofMinutes(1));
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        assertThat(harness.core().find("api").reason()).isEqualTo("idle for 1h, limit 1h");
        harness.assertConsistent();
    }

    @Test
    void aRunningSessionKeepsItFromBeingIdleUntilItEnds() throws Exception {
        SandboxRow row = create("api", Optional.empty(), Optional.of(HOUR), "stop");
        SessionStatus session = harness.core().sessions().start("api", StartSession.of("sleep"));
        clock.move(Duration.ofHours(5));
        letItLook();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        assertThat(harness.core()
                        .why(
                                harness.core().find("api"),
                                harness.core().sessions().list("api")))
                .isEqualTo("session sleep");
        harness.machine
                .neuron(row.id())
                .orElseThrow()
                .session(session.id())
                .orElseThrow()
                .end(Cause.EXITED, 0);
        clock.move(Duration.ofHours(2));
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        assertThat(harness.core().find("api").reason()).startsWith("idle for ").endsWith(", limit 1h");
    }

    @Test
    void aSessionInTheBackgroundDoesNotKeepIt() throws Exception {
        create("api", Optional.empty(), Optional.of(HOUR), "stop");
        harness.core().sessions().start("api", background());
        clock.move(Duration.ofMinutes(61));
        harness.eventually(() -> harness.state("api") == State.STOPPED);
    }

    @Test
    void bytesOfAClientKeepIt() throws Exception {
        create("api", Optional.empty(), Optional.of(HOUR), "stop");
        SessionStatus session = harness.core().sessions().start("api", background());
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, ""));
        Thread.ofVirtual().start(() -> client.relay(harness.core().sessions().attach("api", session.id())));
        harness.eventually(() -> !client.frames().isEmpty());
        clock.move(Duration.ofMinutes(59));
        client.say(new Frame.StdinClose());
        harness.eventually(
                () -> harness.core().why(harness.core().find("api"), List.of()).equals("idle for 0ms, limit 1h"));
        clock.move(Duration.ofMinutes(59));
        letItLook();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
    }

    @Test
    void whatIsDoneThroughAForwardedPortKeepsItForAsLongAsItIsDone() throws Exception {
        SandboxRow row = create("api", Optional.empty(), Optional.of(HOUR), "stop");
        try (var use = harness.core().activity().begin(row.id())) {
            clock.move(Duration.ofHours(3));
            letItLook();
            assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        }
        clock.move(Duration.ofMinutes(61));
        harness.eventually(() -> harness.state("api") == State.STOPPED);
    }

    @Test
    void aLifeThatIsOverEndsWhateverRuns() throws Exception {
        create("api", Optional.of(Duration.ofMinutes(90)), Optional.empty(), "remove");
        harness.core().sessions().start("api", StartSession.of("sleep"));
        clock.move(Duration.ofMinutes(89));
        letItLook();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        clock.move(Duration.ofMinutes(1));
        harness.eventually(() -> harness.store().list("", 9).isEmpty());
        harness.assertConsistent();
        assertThat(harness.disks()).as("the disk of a name stays").hasSize(1);
    }

    @Test
    void oneThatIsPausedAtTheEndOfItsTimeLivesAnotherAfterItsResume() throws Exception {
        create("api", Optional.of(HOUR), Optional.empty(), "pause");
        clock.move(Duration.ofMinutes(61));
        harness.eventually(() -> harness.state("api") == State.PAUSED);
        assertThat(harness.core().find("api").reason()).isEqualTo("lived for 1h 1m, limit 1h");
        clock.move(Duration.ofDays(3));
        letItLook();
        assertThat(harness.state("api")).isEqualTo(State.PAUSED);
        harness.core().resume("api");
        letItLook();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        clock.move(Duration.ofMinutes(61));
        harness.eventually(() -> harness.state("api") == State.PAUSED);
        harness.assertConsistent();
    }

    @Test
    void aPauseIsNoIdleTimeButDoesNotLengthenALife() throws Exception {
        create("idle", Optional.empty(), Optional.of(HOUR), "stop");
        create("old", Optional.of(HOUR), Optional.empty(), "stop");
        harness.core().pause("idle");
        harness.core().pause("old");
        clock.move(Duration.ofMinutes(61));
        harness.eventually(() -> harness.state("old") == State.STOPPED);
        assertThat(harness.state("idle")).isEqualTo(State.PAUSED);
        harness.core().resume("idle");
        letItLook();
        assertThat(harness.state("idle")).isEqualTo(State.RUNNING);
    }

    @Test
    void deadlinesSurviveTheDaemon() throws Exception {
        create("idle", Optional.empty(), Optional.of(HOUR), "stop");
        create("old", Optional.of(HOUR), Optional.empty(), "stop");
        clock.move(Duration.ofMinutes(45));
        harness.reopen();
        clock.move(Duration.ofMinutes(16));
        harness.eventually(() -> harness.state("idle") == State.STOPPED && harness.state("old") == State.STOPPED);
        harness.assertConsistent();
    }

    @Test
    void aStartIsANewLife() throws Exception {
        create("api", Optional.of(HOUR), Optional.empty(), "stop");
        clock.move(Duration.ofMinutes(61));
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        harness.core().start("api");
        clock.move(Duration.ofMinutes(59));
        letItLook();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
    }

    @Test
    void whoAskedTheNeuronOfAnEarlierStartDoesNotEndTheWatchOverTheLaterOne() throws Exception {
        SandboxRow row = create("api", Optional.empty(), Optional.of(HOUR), "stop");
        CountDownLatch answers = new CountDownLatch(1);
        harness.machine.neuron(row.id()).orElseThrow().holdUpNextList(answers);
        clock.move(Duration.ofMinutes(61));
        letItLook();
        harness.core().stop("api", Duration.ZERO);
        harness.core().start("api");
        answers.countDown();
        letItLook();
        clock.move(Duration.ofMinutes(61));
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        assertThat(harness.core().find("api").reason()).startsWith("idle for ");
    }

    @Test
    void whatMakesNoSenseIsRefusedAllAtOnce() {
        CreateSandbox odd = CreateSandbox.defaults()
                .running(StartSession.of("true"))
                .with(draft -> draft.lifetime = Optional.of(new Lifetime(
                        Optional.of(0L), Optional.of(-1L), Optional.of("explode"), Optional.of("on-boot"))));
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> harness.core().create(odd));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(e.getMessage())
                .contains("timeout must be", "idle timeout must be", "then must be one of", "restart");
        CreateSandbox pausing = request("api", Optional.of(HOUR), Optional.empty(), "pause")
                .on("weak")
                .allowingInsecureProcess();
        assertThat(catchThrowableOfType(
                                CortexException.class, () -> harness.core().create(pausing))
                        .code())
                .isEqualTo(ErrorCode.UNSUPPORTED);
    }

    @Test
    void afterABootOfTheMachineThoseRunAgainForWhichItWasAsked() throws Exception {
        CreateSandbox onBoot = CreateSandbox.defaults()
                .named("api")
                .with(draft -> draft.lifetime = Optional.of(
                        new Lifetime(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of("on-boot"))));
        SandboxRow row = harness.core().create(onBoot);
        SessionStatus session = harness.core().sessions().start("api", StartSession.of("sleep"));
        SandboxRow other = harness.create("other");
        harness.core().create(onBoot.named("down"));
        harness.core().stop("down", Duration.ZERO);
        harness.die();
        harness.machine.kill(row.id());
        harness.machine.kill(other.id());
        harness.boot = "second";
        harness.reopen();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        assertThat(harness.core().find("api").life().boot()).isEqualTo("second");
        assertThat(harness.core().sessions().list("api"))
                .as("start never restarts sessions")
                .allSatisfy(
                        s -> assertThat(s.id().equals(session.id()) && s.cause().isEmpty())
                                .isFalse());
        assertThat(harness.state("other")).isEqualTo(State.STOPPED);
        assertThat(harness.state("down")).isEqualTo(State.STOPPED);
        harness.assertConsistent();
    }

    @Test
    void whatDiedInTheSameBootIsNotStartedAgain() throws Exception {
        SandboxRow row = harness.core()
                .create(CreateSandbox.defaults()
                        .named("api")
                        .with(draft -> draft.lifetime = Optional.of(new Lifetime(
                                Optional.empty(), Optional.empty(), Optional.empty(), Optional.of("on-boot")))));
        harness.die();
        harness.machine.kill(row.id());
        harness.reopen();
        assertThat(harness.state("api")).isEqualTo(State.STOPPED);
    }

    private static StartSession background() {
        StartSession s = StartSession.of("sleep");
        return new StartSession(
                s.id(),
                s.argv(),
                s.argvB64(),
                s.env(),
                s.envB64(),
                s.cwd(),
                s.cwdB64(),
                s.user(),
                s.terminal(),
                s.stdin(),
                s.claim(),
                s.timeoutMs(),
                Optional.of(true),
                s.label());
    }
}
