package dev.cortex.guest;

import static dev.cortex.guest.Failures.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.guest.ScriptedGuest.Peer;
import dev.cortex.guest.pb.InfoResponse;
import dev.cortex.guest.pb.InitializeResponse;
import dev.cortex.guest.pb.SessionInfo;
import dev.cortex.guest.pb.SignalResponse;
import dev.cortex.guest.pb.Status;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Hello;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls over a guest that answers honestly, late, out of order or not at all. */
final class CallsTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @Test
    void aCallCarriesItsRequestAndReturnsItsAnswer() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    Peer.Call call = peer.call();
                    assertThat(call.method()).isEqualTo("Info");
                    peer.answer(
                            call.id(),
                            InfoResponse.newBuilder()
                                    .setVersion("v")
                                    .setUptimeMs(7)
                                    .build());
                });
                Guest guest = scripted.connect()) {
            assertThat(guest.info(SOON).uptimeMs()).isEqualTo(7);
        }
    }

    @Test
    void answersInTheReverseOrderReachTheirOwnCallers() throws Exception {
        int calls = 200;
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    List<Peer.Call> asked = new ArrayList<>();
                    for (int i = 0; i < calls; i++) {
                        asked.add(peer.call());
                    }
                    Collections.reverse(asked);
                    for (Peer.Call call : asked) {
                        peer.answer(
                                call.id(),
                                dev.cortex.guest.pb.SessionInfo.newBuilder()
                                        .setId(dev.cortex.guest.pb.SessionStatusRequest.parseFrom(call.payload())
                                                .getSessionId())
                                        .build());
                    }
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                String id = "s_" + i;
                CompletableFuture<String> answer = new CompletableFuture<>();
                answers.add(answer);
                Thread.ofVirtual()
                        .start(() ->
                                answer.complete(guest.status(id, Duration.ZERO).id()));
            }
            for (int i = 0; i < calls; i++) {
                assertThat(answers.get(i).get(20, TimeUnit.SECONDS)).isEqualTo("s_" + i);
            }
            assertThat(scripted.dials()).isEqualTo(1);
        }
    }

    @Test
    void aCallThatIsNotAnsweredEndsAtItsDeadlineAndItsLateAnswerDisturbsNobody() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    Peer.Call slow = peer.call();
                    late.await();
                    peer.answer(
                            slow.id(), InfoResponse.newBuilder().setUptimeMs(1).build());
                    Peer.Call next = peer.call();
                    peer.answer(
                            next.id(), InfoResponse.newBuilder().setUptimeMs(2).build());
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            assertFails(ErrorCode.DEADLINE, () -> guest.info(Duration.ofMillis(50)));
            late.countDown();
            assertThat(guest.info(SOON).uptimeMs()).isEqualTo(2);
            assertThat(scripted.dials()).isEqualTo(1);
        }
    }

    @Test
    void anInterruptedCallerIsCancelledAndTheCallOfAnotherOnTheSameStreamGoesOn() throws Exception {
        CountDownLatch bothAsked = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    Peer.Call first = peer.call();
                    Peer.Call second = peer.call();
                    bothAsked.countDown();
                    cancelled.await();
                    peer.answer(
                            first.id(), InfoResponse.newBuilder().setUptimeMs(9).build());
                    peer.answer(
                            second.id(),
                            InfoResponse.newBuilder().setUptimeMs(9).build());
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            CompletableFuture<Long> other =
                    CompletableFuture.supplyAsync(() -> guest.info(SOON).uptimeMs());
            AtomicReference<Throwable> failure = new AtomicReference<>();
            AtomicReference<Boolean> flag = new AtomicReference<>(false);
            Thread interrupted = Thread.ofVirtual().start(() -> {
                try {
                    guest.info(SOON);
                } catch (RuntimeException e) {
                    failure.set(e);
                    flag.set(Thread.currentThread().isInterrupted());
                }
            });
            bothAsked.await();
            interrupted.interrupt();
            interrupted.join();
            cancelled.countDown();
            assertThat(other.get(20, TimeUnit.SECONDS)).isEqualTo(9);
            Failures.assertIs(ErrorCode.CANCELLED, failure.get());
            assertThat(flag.get()).isTrue();
        }
    }

    @Test
    void aThreadThatComesInterruptedClosesNothing() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, CallsTest::answerEverything);
                Guest guest = scripted.connect()) {
            guest.info(SOON);
            Thread.currentThread().interrupt();
            assertFails(ErrorCode.CANCELLED, () -> guest.info(SOON));
            assertThat(Thread.interrupted()).isTrue();
            guest.info(SOON);
            assertThat(scripted.dials()).isEqualTo(1);
        }
    }

    @Test
    void aStreamThatBreaksLosesTheCallsUnderWayWithoutRunningThemTwiceAndTheNextCallDialsAnew() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    Peer.Call call = peer.call();
                    if (seen.incrementAndGet() == 1) {
                        peer.write(Peer.header(500, call.id(), 2));
                        return;
                    }
                    peer.answer(
                            call.id(),
                            SignalResponse.newBuilder().setSignaled(3).build());
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            assertFails(ErrorCode.GUEST_LOST, () -> guest.signal("s_1", 15, false));
            assertThat(seen).hasValue(1);
            assertThat(guest.signal("s_1", 15, false)).isEqualTo(3);
            assertThat(seen).hasValue(2);
            assertThat(scripted.dials()).isEqualTo(2);
        }
    }

    @Test
    void theStreamThatGaveTheTokenStaysAndTheNextOneCarriesIt() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    for (int i = 0; i < 2; i++) {
                        peer.answer(peer.call().id(), InitializeResponse.getDefaultInstance());
                    }
                });
                Guest guest = scripted.connect()) {
            GuestToken token = new GuestToken("ab".repeat(32));
            guest.initialize(
                    new GuestIdentity(
                            token,
                            1,
                            "api",
                            "0".repeat(32),
                            List.of(),
                            GuestIdentity.User.AGENT,
                            "/work",
                            0,
                            true,
                            true),
                    SOON);
            guest.info(SOON);
            assertThat(scripted.hellos()).containsExactly(Hello.of(Hello.Purpose.CONTROL, new byte[32]));
            infoOnANewStream(guest);
            assertThat(scripted.hellos())
                    .containsExactly(
                            Hello.of(Hello.Purpose.CONTROL, new byte[32]),
                            Hello.of(Hello.Purpose.CONTROL, token.bytes()));
        }
    }

    /** The guest has hung up, or does so while the first call is on its way. */
    private static void infoOnANewStream(Guest guest) {
        try {
            guest.info(SOON);
        } catch (CortexException lost) {
            guest.info(SOON);
        }
    }

    @Test
    void aGuestsErrorKeepsItsCodeItsWordsAndItsRemedy() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    peer.refuse(peer.call().id(), "NOT_FOUND", "no session s_1", "list them");
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            var refused = assertFails(ErrorCode.NOT_FOUND, () -> guest.status("s_1", Duration.ZERO));
            assertThat(refused).hasMessage("no session s_1");
            assertThat(refused.remedy()).contains("list them");
        }
    }

    @Test
    void aCallThatTheNeuronDoesNotKnowMeansThatItIsTooOld() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    peer.refuse(
                            peer.call().id(),
                            Status.newBuilder().setCode(12).setMessage("method").build());
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            assertFails(ErrorCode.GUEST_TOO_OLD, guest::sessions);
        }
    }

    @Test
    void aRequestOverFourMebibytesIsRefusedBeforeItIsSent() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, CallsTest::answerEverything);
                Guest guest = scripted.connect()) {
            assertFails(ErrorCode.INVALID_ARGUMENT, () -> guest.removeSession("x".repeat(4 << 20)));
            assertThat(scripted.dials()).isZero();
        }
    }

    @Test
    void awaitingTheLossReturnsWhenTheGuestHangsUpAndNotBefore() throws Exception {
        CountDownLatch die = new CountDownLatch(1);
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    die.await();
                });
                Guest guest = scripted.connect()) {
            CompletableFuture<Void> lost = CompletableFuture.runAsync(guest::awaitLost);
            Thread.sleep(50);
            assertThat(lost).isNotDone();
            die.countDown();
            lost.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void closingFailsTheCallsUnderWayAndThoseThatCome() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
            peer.welcome();
            peer.call();
            asked.countDown();
            peer.untilHungUp();
        })) {
            Guest guest = scripted.connect();
            CompletableFuture<Void> underWay = CompletableFuture.runAsync(() -> guest.info(SOON));
            asked.await();
            guest.close();
            assertThat(underWay.handle((none, failure) -> failure).get(20, TimeUnit.SECONDS))
                    .hasRootCauseMessage("the host closed the stream");
            assertFails(ErrorCode.GUEST_LOST, () -> guest.info(SOON));
        }
    }

    private static void answerEverything(Peer peer) throws Exception {
        peer.welcome();
        while (true) {
            Peer.Call call = peer.call();
            peer.answer(call.id(), InitializeResponse.getDefaultInstance());
        }
    }

    @Test
    void aSessionThatRunsHasNoCauseAndOneThatEndedHasOne() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    peer.answer(
                            peer.call().id(),
                            SessionInfo.newBuilder().setId("s_1").setPid(5).build());
                    peer.answer(
                            peer.call().id(),
                            SessionInfo.newBuilder()
                                    .setId("s_1")
                                    .setCauseValue(1)
                                    .setCode(3)
                                    .setEndedMs(9)
                                    .build());
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            assertThat(guest.status("s_1", Duration.ZERO).cause()).isEmpty();
            assertThat(guest.status("s_1", Duration.ZERO).code()).isEqualTo(3);
        }
    }
}
