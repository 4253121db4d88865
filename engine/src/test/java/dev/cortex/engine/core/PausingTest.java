package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.guest.SessionStatus.Cause;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.testkit.fake.FakeMachine.Fault;
import dev.cortex.testkit.fake.FakeSession;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a paused sandbox answers, what waits for it, and what becomes of it. */
final class PausingTest {
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

    private SessionStatus begun(SandboxRow row, String output) {
        SessionStatus session = harness.core().sessions().start(row.name(), StartSession.of("sleep"));
        session(row, session.id()).write(Frame.Tag.STDOUT, output);
        return session;
    }

    private FakeSession session(SandboxRow row, String id) {
        return harness.machine.neuron(row.id()).orElseThrow().session(id).orElseThrow();
    }

    private static ErrorCode refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(CortexException.class, call).code();
    }

    @Test
    void aPausedSandboxAnswersFromTheHostsViewAndRefusesWhatItWouldHaveToDo() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "so far");
        SandboxRow paused = harness.core().pause("api");
        assertThat(paused.state()).isEqualTo(State.PAUSED);
        assertThat(paused.reason()).isEqualTo("paused by you");
        harness.assertConsistent();
        SandboxService core = harness.core();
        assertThat(core.sessions().list("api"))
                .singleElement()
                .satisfies(s -> assertThat(s.cause()).isEmpty());
        assertThat(core.sessions().output("api", session.id(), 0).stdout())
                .asString()
                .isEqualTo("so far");
        assertThat(core.sessions().status("api", session.id(), Duration.ZERO).cause())
                .isEmpty();
        assertThat(refusal(() -> core.sessions().exec("api", StartSession.of("echo"), Optional.empty())))
                .isEqualTo(ErrorCode.PAUSED);
        assertThat(refusal(() -> core.sessions().signal("api", session.id(), 9, true)))
                .isEqualTo(ErrorCode.PAUSED);
        assertThat(refusal(() -> core.sessions().remove("api", session.id()))).isEqualTo(ErrorCode.PAUSED);
        CortexException again = catchThrowableOfType(CortexException.class, () -> core.pause("api"));
        assertThat(again).hasMessage("api is already paused");
        assertThat(again.remedy().orElseThrow()).isEqualTo("from paused you can: resume, stop, rm");
    }

    @Test
    void aClientThatWasAttachedBeforeAPauseMissesNothingOfWhatComesAfterIt() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "one ");
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, ""));
        Thread relay = Thread.ofVirtual()
                .start(() -> client.relay(harness.core().sessions().attach("api", session.id())));
        harness.eventually(() -> client.text().equals("one "));
        harness.core().pause("api");
        harness.core().resume("api");
        session(row, session.id()).write(Frame.Tag.STDOUT, "two");
        session(row, session.id()).end(Cause.EXITED, 0);
        relay.join();
        assertThat(client.text()).isEqualTo("one two");
        assertThat(client.frames()).last().isEqualTo(new Frame.Exit(Cause.EXITED.wire(), 0));
    }

    @Test
    void aClientThatComesDuringAPauseWaitsForItsEnd() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "one ");
        harness.core().pause("api");
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 2, ""));
        Thread relay = Thread.ofVirtual()
                .start(() -> client.relay(harness.core().sessions().attach("api", session.id())));
        Thread.sleep(50);
        assertThat(client.frames()).isEmpty();
        harness.core().resume("api");
        session(row, session.id()).write(Frame.Tag.STDOUT, "two");
        session(row, session.id()).end(Cause.EXITED, 3);
        relay.join();
        assertThat(client.text()).isEqualTo("e two");
        assertThat(client.frames()).last().isEqualTo(new Frame.Exit(Cause.EXITED.wire(), 3));
    }

    @Test
    void aClientThatWatchesIsShownWhatIsKeptAndThenWhatComes() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "one ");
        harness.core().pause("api");
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.OBSERVE, 0, ""));
        Thread relay = Thread.ofVirtual()
                .start(() -> client.relay(harness.core().sessions().attach("api", session.id())));
        harness.eventually(() -> client.text().equals("one "));
        harness.core().resume("api");
        session(row, session.id()).write(Frame.Tag.STDOUT, "two");
        session(row, session.id()).end(Cause.EXITED, 3);
        relay.join();
        assertThat(client.text()).isEqualTo("one two");
        assertThat(client.frames())
                .filteredOn(Frame.HandshakeAck.class::isInstance)
                .hasSize(1);
        assertThat(client.frames()).last().isEqualTo(new Frame.Exit(Cause.EXITED.wire(), 3));
    }

    @Test
    void aClientThatLeavesDuringAPauseIsNotWaitedFor() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "one ");
        harness.core().pause("api");
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.OBSERVE, 0, ""));
        Thread relay = Thread.ofVirtual()
                .start(() -> client.relay(harness.core().sessions().attach("api", session.id())));
        harness.eventually(() -> client.text().equals("one "));
        client.close();
        assertThat(relay.join(CoreHarness.SOON)).isTrue();
        assertThat(harness.state("api")).isEqualTo(State.PAUSED);
    }

    @Test
    void aClientThatWaitsForTheEndOfAPauseIsShownTheEndWhenItIsAStop() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "one ");
        harness.core().pause("api");
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, ""));
        Thread relay = Thread.ofVirtual()
                .start(() -> client.relay(harness.core().sessions().attach("api", session.id())));
        harness.core().stop("api", Duration.ZERO);
        relay.join();
        assertThat(client.text()).isEqualTo("one ");
        assertThat(client.frames()).last().isEqualTo(new Frame.Exit(Cause.UNKNOWN.wire(), 0));
    }

    @Test
    void whoWaitsForASessionsEndIsNotToldOfADeadlineBecauseOfAPause() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "");
        SessionStatus[] seen = new SessionStatus[1];
        harness.core().pause("api");
        Thread waiting = Thread.ofVirtual()
                .start(() -> seen[0] = harness.core().sessions().status("api", session.id(), Duration.ofSeconds(30)));
        Thread.sleep(50);
        harness.core().resume("api");
        session(row, session.id()).end(Cause.EXITED, 7);
        waiting.join();
        assertThat(seen[0].code()).isEqualTo(7);
    }

    @Test
    void aStopFromPausedNeedsNoGuest() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "kept");
        harness.core().pause("api");
        harness.core().stop("api", Duration.ofMinutes(1));
        harness.assertConsistent();
        assertThat(harness.state("api")).isEqualTo(State.STOPPED);
        assertThat(harness.core()
                        .sessions()
                        .status("api", session.id(), Duration.ZERO)
                        .cause())
                .contains(Cause.UNKNOWN);
        assertThat(harness.core().sessions().output("api", session.id(), 0).stdout())
                .asString()
                .isEqualTo("kept");
    }

    @Test
    void aPausedSandboxIsRemovedWithoutForce() throws Exception {
        harness.create("api");
        harness.core().pause("api");
        assertThat(harness.core().remove("api", false, true).left()).isEmpty();
        harness.assertConsistent();
    }

    @Test
    void theNextCoreAdoptsAPausedSandbox() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "before");
        harness.core().pause("api");
        SandboxService next = harness.reopen();
        harness.assertConsistent();
        assertThat(next.sessions().output("api", session.id(), 0).stdout())
                .asString()
                .isEqualTo("before");
        next.resume("api");
        session(row, session.id()).write(Frame.Tag.STDOUT, " after");
        session(row, session.id()).end(Cause.EXITED, 0);
        assertThat(next.sessions()
                        .status("api", session.id(), Duration.ofSeconds(10))
                        .cause())
                .contains(Cause.EXITED);
        assertThat(next.sessions().output("api", session.id(), 0).stdout())
                .asString()
                .isEqualTo("before after");
        harness.assertConsistent();
    }

    @Test
    void theDeathOfAPausedSandboxIsNoticedAtOnceAndItsOutputStays() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "last words");
        harness.core().pause("api");
        harness.machine.kill(row.id());
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        assertThat(harness.core().find("api").reason()).startsWith("memory_lost");
        assertThat(harness.core()
                        .sessions()
                        .status("api", session.id(), Duration.ZERO)
                        .cause())
                .contains(Cause.UNKNOWN);
        assertThat(harness.core().sessions().output("api", session.id(), 0).stdout())
                .asString()
                .isEqualTo("last words");
        harness.assertConsistent();
    }

    @Test
    void aCoreThatNeverSpokeToAPausedSandboxNoticesItsDeathToo() throws Exception {
        SandboxRow row = harness.create("api");
        harness.core().pause("api");
        harness.reopen();
        harness.machine.kill(row.id());
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        harness.assertConsistent();
    }

    @Test
    void aPauseThatFailsLeavesTheSandboxRunning() throws Exception {
        harness.create("api");
        harness.machine.fail(Fault.PAUSE);
        assertThatThrownBy(() -> harness.core().pause("api")).hasMessageContaining("injected");
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        harness.assertConsistent();
        harness.machine.heal();
        assertThat(harness.core().pause("api").state()).isEqualTo(State.PAUSED);
    }

    @Test
    void aResumeThatFailsLeavesItPaused() throws Exception {
        harness.create("api");
        harness.core().pause("api");
        harness.machine.fail(Fault.RESUME);
        assertThatThrownBy(() -> harness.core().resume("api")).hasMessageContaining("injected");
        assertThat(harness.state("api")).isEqualTo(State.PAUSED);
        harness.assertConsistent();
        harness.machine.heal();
        assertThat(harness.core().resume("api").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void aPauseThatCanNeitherBeMadeNorTakenBackIsAnErrorThatAResetClears() throws Exception {
        harness.create("api");
        harness.machine.fail(Fault.PAUSE);
        harness.machine.fail(Fault.RESUME);
        assertThatThrownBy(() -> harness.core().pause("api")).hasMessageContaining("injected");
        assertThat(harness.state("api")).isEqualTo(State.ERROR);
        harness.machine.heal();
        assertThat(harness.core().reset("api").state()).isEqualTo(State.STOPPED);
        harness.assertConsistent();
        assertThat(harness.core().start("api").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void whatADriverCannotPauseIsRefusedBeforeAnythingHappens() throws Exception {
        harness.core().create(CreateSandbox.defaults().named("api").on("weak").allowingInsecureProcess());
        CortexException e =
                catchThrowableOfType(CortexException.class, () -> harness.core().pause("api"));
        assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(e.remedy().orElseThrow()).contains("strong");
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        harness.assertConsistent();
    }

    @Test
    void aRunThatWasPausedGoesWithItsCommandAfterwards() throws Exception {
        SandboxRow row = harness.core().create(CoreHarness.running("job", "sleep"));
        harness.core().pause("job");
        harness.core().resume("job");
        session(row, row.primary()).end(Cause.EXITED, 0);
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, ""));
        client.relay(harness.core().sessions().attach("job", row.primary()));
        harness.eventually(() -> harness.store().list("", 9).isEmpty());
        harness.assertConsistent();
    }

    @Test
    void whatWasKeptOfAPauseIsForgottenWithItsSession() {
        SandboxRow row = harness.create("api");
        SessionStatus session = begun(row, "x");
        harness.core().pause("api");
        harness.core().resume("api");
        harness.core().sessions().remove("api", session.id());
        assertThat(harness.core().sessions().list("api")).isEmpty();
    }

    @Test
    void whatAnotherHandPausedIsKeptAsItIs() throws Exception {
        harness.create("api");
        harness.machine.observeAs(Observation.PAUSED);
        harness.reopen();
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
        harness.machine.heal();
        assertThat(harness.core()
                        .sessions()
                        .exec("api", StartSession.of("echo", "on"), Optional.empty())
                        .stdout())
                .asString()
                .isEqualTo("on\n");
    }
}
