package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
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
import dev.cortex.sandbox.service.Boundary;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.testkit.fake.FakeMachine.Fault;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a sandbox and its sessions survive: the daemon, broken streams, a stop; and how its death is told. */
final class SurvivalTest {
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
    void theNextCoreFindsWhatRuns() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = harness.core().sessions().start("api", StartSession.of("sleep"));
        SandboxService next = harness.reopen();
        assertThat(next.find("api").state()).isEqualTo(State.RUNNING);
        assertThat(next.sessions().status("api", session.id(), Duration.ZERO).cause())
                .isEmpty();
        assertThat(harness.machine.alive()).containsExactly(row.id());
        harness.assertConsistent();
    }

    @Test
    void aCreateThatIsRepeatedToTheNextCoreFindsWhatTheLastOneMade() throws Exception {
        CreateSandbox request = CreateSandbox.defaults().named("api");
        SandboxRow row = harness.core().create(request, "key");
        SandboxService next = harness.reopen();
        assertThat(next.create(request, "key").id()).isEqualTo(row.id());
        next.remove("api", true, true);
        assertThat(next.create(request, "key").id()).isNotEqualTo(row.id());
    }

    @Test
    void whatDiedWhileNobodyWatchedIsStopped() throws Exception {
        SandboxRow row = harness.create("api");
        harness.die();
        harness.machine.kill(row.id());
        SandboxService next = harness.reopen();
        assertThat(next.find("api").state()).isEqualTo(State.STOPPED);
        assertThat(next.find("api").reason()).startsWith("memory_lost");
        harness.assertConsistent();
    }

    @Test
    void anUnknownObservationIsNeverReadAsAbsent() throws Exception {
        SandboxRow row = harness.create("api");
        harness.machine.observeAs(Observation.UNKNOWN);
        harness.machine.fail(Fault.DIAL);
        SandboxService next = harness.reopen();
        assertThat(next.find("api").state()).isEqualTo(State.RUNNING);
        harness.machine.heal();
        assertThat(next.sessions()
                        .exec("api", StartSession.of("echo", "hi"), Optional.empty())
                        .stdout())
                .asString()
                .isEqualTo("hi\n");
        assertThat(harness.machine.alive()).containsExactly(row.id());
    }

    @Test
    void aDeathIsNoticedAndItsSessionsEndAsUnknown() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = harness.core().sessions().start("api", StartSession.of("sleep"));
        harness.machine.kill(row.id());
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        assertThat(harness.core().find("api").reason()).startsWith("memory_lost");
        assertThat(harness.core()
                        .sessions()
                        .status("api", session.id(), Duration.ZERO)
                        .cause())
                .contains(Cause.UNKNOWN);
        harness.assertConsistent();
    }

    @Test
    void aDeathThatASecondLookCannotConfirmIsLookedAtAgain() throws Exception {
        SandboxRow row = harness.create("api");
        harness.machine.observeNext(Observation.ABSENT, Observation.UNKNOWN);
        harness.machine.kill(row.id());
        harness.eventually(() -> harness.state("api") == State.STOPPED);
        harness.assertConsistent();
    }

    @Test
    void aBrokenStreamIsNotADeath() {
        SandboxRow row = harness.create("api");
        harness.machine.breakStreams(row.id());
        assertThat(harness.core()
                        .sessions()
                        .exec("api", StartSession.of("echo", "x"), Optional.empty())
                        .stdout())
                .asString()
                .isEqualTo("x\n");
        assertThat(harness.state("api")).isEqualTo(State.RUNNING);
    }

    @Test
    void outputAndStatusesOutliveAStop() {
        SandboxRow row = harness.create("api");
        SessionStatus quick = harness.core().sessions().start("api", StartSession.of("echo", "first"));
        SessionStatus slow = harness.core().sessions().start("api", StartSession.of("sleep"));
        SessionStatus stubborn = harness.core().sessions().start("api", StartSession.of("stubborn"));
        harness.machine
                .neuron(row.id())
                .orElseThrow()
                .session(slow.id())
                .orElseThrow()
                .write(Frame.Tag.STDERR, "half");
        harness.core().stop("api", Duration.ofMillis(100));
        assertThat(harness.core().sessions().list("api"))
                .extracting(SessionStatus::id)
                .containsExactlyInAnyOrder(quick.id(), slow.id(), stubborn.id());
        assertThat(harness.core().sessions().output("api", quick.id(), 0).stdout())
                .asString()
                .isEqualTo("first\n");
        assertThat(harness.core().sessions().output("api", slow.id(), 2).stderr())
                .asString()
                .isEqualTo("lf");
        assertThat(harness.core()
                        .sessions()
                        .status("api", slow.id(), Duration.ZERO)
                        .code())
                .isEqualTo(15);
        assertThat(harness.core()
                        .sessions()
                        .status("api", stubborn.id(), Duration.ZERO)
                        .code())
                .isEqualTo(9);

        harness.core().start("api");
        assertThat(harness.core().sessions().list("api"))
                .as("start never restarts sessions")
                .hasSize(3);
        assertThat(harness.core().sessions().output("api", quick.id(), 0).stdout())
                .asString()
                .isEqualTo("first\n");
    }

    @Test
    void aSandboxMadeByRunGoesWithItsCommandOnceItsHolderKnows() throws Exception {
        SandboxRow row = harness.core().create(CoreHarness.running("job", "sleep"));
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, ""));
        Thread relay = Thread.ofVirtual()
                .start(() -> client.relay(harness.core().sessions().attach("job", row.primary())));
        harness.machine
                .neuron(row.id())
                .orElseThrow()
                .session(row.primary())
                .orElseThrow()
                .end(Cause.EXITED, 7);
        relay.join();
        assertThat(client.frames()).last().isEqualTo(new Frame.Exit(Cause.EXITED.wire(), 7));
        harness.eventually(() -> harness.store().list("", 9).isEmpty());
        harness.assertConsistent();
        assertThat(harness.disks()).as("it had a name").hasSize(1);
    }

    @Test
    void aRunThatWasStoppedWhileNobodyWatchedIsRemovedByTheNextCore() throws Exception {
        SandboxRow row = harness.core().create(CoreHarness.running("job", "sleep"));
        harness.die();
        harness.machine.kill(row.id());
        harness.reopen();
        harness.die();
        harness.reopen();
        assertThat(harness.store().list("", 9)).isEmpty();
        harness.assertConsistent();
    }

    @Test
    void operationsOnOneSandboxDoNotInterleave() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        harness.create("api");
        harness.die();
        harness.at(step -> {
            if (step == Boundary.STOP_BEGUN) {
                inside.countDown();
                await(go);
            }
        });
        SandboxService core = harness.core();
        Thread stopping = Thread.ofVirtual().start(() -> core.stop("api", Duration.ZERO));
        inside.await();
        Thread removing = Thread.ofVirtual().start(() -> core.remove("api", false, false));
        Thread.sleep(50);
        assertThat(harness.store().findByName("api")).as("it waits").isPresent();
        go.countDown();
        stopping.join();
        removing.join();
        assertThat(harness.store().findByName("api")).isEmpty();
    }

    @Test
    void aRemoveThatCannotFinishSaysWhatIsLeftAndCanBeMadeAgain() throws Exception {
        harness.create("api");
        harness.machine.fail(Fault.WIPE);
        assertThat(harness.core().remove("api", true, true).left())
                .singleElement()
                .asString()
                .contains("injected");
        assertThat(harness.state("api")).isEqualTo(State.ERROR);
        harness.machine.heal();
        assertThat(harness.core().remove("api", false, true).left()).isEmpty();
        harness.assertConsistent();
        assertThat(harness.disks()).isEmpty();
    }

    @Test
    void execFeedsStdinAndReadsToTheEnd() {
        harness.create("api");
        byte[] stdin = "x".repeat(200_000).getBytes(StandardCharsets.UTF_8);
        var output = harness.core().sessions().exec("api", StartSession.of("cat"), Optional.of(stdin));
        assertThat(output.stdout()).isEqualTo(stdin);
        assertThat(output.cause()).contains(Cause.EXITED);
        assertThat(output.truncated()).isFalse();
    }

    @Test
    void execGoesOnWhereItWasWhenItsStreamBreaks() throws Exception {
        SandboxRow row = harness.create("api");
        List<String> out = new ArrayList<>();
        Thread exec = Thread.ofVirtual()
                .start(() -> out.add(new String(
                        harness.core()
                                .sessions()
                                .exec("api", StartSession.of("sleep"), Optional.empty())
                                .stdout(),
                        StandardCharsets.UTF_8)));
        harness.eventually(() -> !harness.core().sessions().list("api").isEmpty());
        String id = harness.core().sessions().list("api").getFirst().id();
        var session = harness.machine.neuron(row.id()).orElseThrow().session(id).orElseThrow();
        session.write(Frame.Tag.STDOUT, "one ");
        Thread.sleep(50);
        harness.machine.breakStreams(row.id());
        session.write(Frame.Tag.STDOUT, "two");
        session.end(Cause.EXITED, 0);
        exec.join();
        assertThat(out).containsExactly("one two");
    }

    @Test
    void execOfALostSandboxEndsAsUnknownNeverAsAnExitStatus() throws Exception {
        SandboxRow row = harness.create("api");
        List<Optional<Cause>> causes = new ArrayList<>();
        Thread exec = Thread.ofVirtual()
                .start(() -> causes.add(harness.core()
                        .sessions()
                        .exec("api", StartSession.of("sleep"), Optional.empty())
                        .cause()));
        harness.eventually(() -> !harness.core().sessions().list("api").isEmpty());
        harness.machine.kill(row.id());
        exec.join();
        assertThat(causes).containsExactly(Optional.of(Cause.UNKNOWN));
    }

    @Test
    void whoeverIsAttachedToASandboxThatIsRemovedIsToldThatItWas() throws Exception {
        SandboxRow row = harness.create("api");
        SessionStatus session = harness.core().sessions().start("api", StartSession.of("sleep"));
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, ""));
        Thread relay = Thread.ofVirtual()
                .start(() -> client.relay(harness.core().sessions().attach("api", session.id())));
        harness.machine
                .neuron(row.id())
                .orElseThrow()
                .session(session.id())
                .orElseThrow()
                .write(Frame.Tag.STDOUT, "here");
        harness.eventually(() -> client.text().equals("here"));
        harness.core().remove("api", true, true);
        relay.join();
        assertThat(client.frames()).last().isInstanceOfSatisfying(Frame.Error.class, error -> {
            assertThat(error.code()).isEqualTo("NOT_FOUND");
            assertThat(error.message()).isEqualTo("api was removed, and what ran in it ended");
        });
    }

    @Test
    void execInASandboxThatIsRemovedSaysSo() throws Exception {
        harness.create("api");
        List<CortexException> told = new CopyOnWriteArrayList<>();
        Thread exec = Thread.ofVirtual()
                .start(() -> told.add(catchThrowableOfType(
                        CortexException.class,
                        () -> harness.core().sessions().exec("api", StartSession.of("sleep"), Optional.empty()))));
        harness.eventually(() -> !harness.core().sessions().list("api").isEmpty());
        harness.core().remove("api", true, true);
        exec.join();
        assertThat(told).singleElement().satisfies(e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
            assertThat(e.getMessage()).startsWith("api was removed");
        });
    }

    @Test
    void aSessionIsFoundByTheBeginningOfItsId() {
        harness.create("api");
        for (String id : List.of("s_aaaa000000000001", "s_aaab000000000002")) {
            harness.core().sessions().start("api", withId(id));
        }
        assertThat(harness.core()
                        .sessions()
                        .status("api", "s_aaab", Duration.ZERO)
                        .id())
                .isEqualTo("s_aaab000000000002");
        assertThat(harness.core()
                        .sessions()
                        .status("api", "aaaa", Duration.ZERO)
                        .id())
                .isEqualTo("s_aaaa000000000001");
        CortexException e = catchThrowableOfType(
                CortexException.class, () -> harness.core().sessions().status("api", "s_aaa", Duration.ZERO));
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(e.getMessage()).contains("s_aaaa000000000001", "s_aaab000000000002");
        assertThat(catchThrowableOfType(
                                CortexException.class,
                                () -> harness.core().sessions().status("api", "zz", Duration.ZERO))
                        .code())
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void theSameSessionIdTwiceIsOneProcess() {
        SandboxRow row = harness.create("api");
        harness.core().sessions().start("api", withId("s_aaaa000000000001"));
        harness.core().sessions().start("api", withId("s_aaaa000000000001"));
        assertThat(harness.machine.neuron(row.id()).orElseThrow().started()).isEqualTo(1);
    }

    @Test
    void anArchivedSessionIsReplayedFromItsCursor() throws Exception {
        harness.create("api");
        SessionStatus session = harness.core().sessions().start("api", StartSession.of("echo", "hello"));
        harness.core().stop("api", Duration.ZERO);
        ClientEnd client = new ClientEnd(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.OBSERVE, 2, ""));
        client.relay(harness.core().sessions().attach("api", session.id()));
        assertThat(client.frames().getFirst()).isEqualTo(new Frame.HandshakeAck(false, 0, 6, 0));
        assertThat(client.text()).isEqualTo("llo\n");
        assertThat(client.frames()).last().isEqualTo(new Frame.Exit(Cause.EXITED.wire(), 0));
    }

    @Test
    void sessionsOfASandboxThatIsNotRunningAreRefusedWithTheWayOut() {
        harness.create("api");
        harness.core().stop("api", Duration.ZERO);
        CortexException e = catchThrowableOfType(
                CortexException.class, () -> harness.core().sessions().start("api", StartSession.of("true")));
        assertThat(e.code()).isEqualTo(ErrorCode.NOT_RUNNING);
        assertThat(e.remedy()).contains("cortex start api");
    }

    @Test
    void whatHappensIsTold() {
        harness.create("api");
        harness.core().stop("api", Duration.ZERO);
        harness.core().remove("api", false, true);
        harness.eventually(() -> harness.events.size() >= 4);
        assertThat(harness.events)
                .extracting(e -> e.kind())
                .containsExactly("sandbox.created", "sandbox.running", "sandbox.stopped", "sandbox.removed");
    }

    private static StartSession withId(String id) {
        StartSession s = StartSession.of("sleep");
        return new StartSession(
                Optional.of(id),
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
                s.background(),
                s.label());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
