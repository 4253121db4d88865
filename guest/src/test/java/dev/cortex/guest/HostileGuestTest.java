package dev.cortex.guest;

import static dev.cortex.guest.Failures.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import dev.cortex.guest.ScriptedGuest.Peer;
import dev.cortex.guest.pb.FileInfo;
import dev.cortex.guest.pb.InfoResponse;
import dev.cortex.guest.pb.ListResponse;
import dev.cortex.guest.pb.ListSessionsResponse;
import dev.cortex.guest.pb.ResolvePathResponse;
import dev.cortex.guest.pb.SessionInfo;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.HelloAck;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestFiles.GuestPath;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** A guest that was taken over says whatever it likes; the host gives it up and stays whole. */
final class HostileGuestTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final GuestPath PATH = new GuestPath(new byte[] {'/'}, "");

    @TempDir
    Path folder;

    @TestFactory
    Stream<DynamicTest> everyWrongAnswerToAHelloEndsTheDial() {
        return Stream.of(
                hello("no common version", ErrorCode.GUEST_TOO_OLD, ack(0, HelloAck.Status.NO_COMMON_VERSION)),
                hello("the token refused", ErrorCode.UNAUTHENTICATED, ack(0, HelloAck.Status.TOKEN_REFUSED)),
                hello("the purpose unknown", ErrorCode.GUEST_LOST, ack(0, HelloAck.Status.UNKNOWN_PURPOSE)),
                hello("a version that was not offered", ErrorCode.GUEST_LOST, ack(9, HelloAck.Status.OK)),
                hello("version 0", ErrorCode.GUEST_LOST, ack(0, HelloAck.Status.OK)),
                hello(
                        "another magic number",
                        ErrorCode.GUEST_LOST,
                        ByteBuffer.wrap("HTTP/1.1".getBytes(StandardCharsets.UTF_8))),
                hello("half an answer", ErrorCode.GUEST_LOST, ByteBuffer.wrap(new byte[] {'C', 'R', 'T'})));
    }

    @Test
    void aGuestThatNeverAnswersItsHelloLosesTheStreamAfterAWhile() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, Peer::untilHungUp);
                Guest guest = scripted.connect()) {
            assertFails(ErrorCode.GUEST_LOST, () -> guest.info(SOON));
            assertFails(ErrorCode.GUEST_LOST, guest::data);
        }
    }

    @TestFactory
    Stream<DynamicTest> everyLieInTheFramingLosesTheStreamAndNothingElse() {
        return Stream.of(
                framing("an answer to a call that nobody made", (peer, call) -> peer.answer(call.id() + 2, info())),
                framing("an answer with an even id", (peer, call) -> peer.answer(2, info())),
                framing("an answer given twice", (peer, call) -> {
                    peer.answer(call.id(), info());
                    peer.answer(call.id(), info());
                }),
                framing("a request", (peer, call) -> peer.write(Peer.header(0, call.id(), 1))),
                framing("a message of type 3", (peer, call) -> peer.write(Peer.header(0, call.id(), 3))),
                framing("a length of 2 GiB", (peer, call) -> peer.write(Peer.header(Integer.MAX_VALUE, call.id(), 2))),
                framing("a length of 4 GiB", (peer, call) -> peer.write(Peer.header(-1, call.id(), 2))),
                framing("more bytes than the call allows", (peer, call) -> peer.answer(call.id(), new byte[70_000])),
                framing("no protobuf", (peer, call) -> peer.answer(call.id(), new byte[] {-1, -1, -1, -1})),
                framing("noise", (peer, call) -> {
                    Random random = new Random(7);
                    byte[] noise = new byte[8_192];
                    while (true) {
                        random.nextBytes(noise);
                        peer.write(ByteBuffer.wrap(noise));
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyLieInAnAnswerIsAGuestLost() {
        return Stream.of(
                lie("a list of 12,001 sessions", sessions(12_001), Guest::sessions),
                lie("sessions without an id", sessions(3), Guest::sessions),
                lie(
                        "an id with an escape sequence",
                        ListSessionsResponse.newBuilder()
                                .addSessions(SessionInfo.newBuilder().setId("s_\u001b[2J"))
                                .build(),
                        Guest::sessions),
                lie(
                        "another session than was asked for",
                        SessionInfo.newBuilder().setId("s_2").build(),
                        guest -> guest.status("s_1", Duration.ZERO)),
                lie(
                        "an argv of 60,000 bytes",
                        SessionInfo.newBuilder()
                                .setId("s_1")
                                .addArgv(ByteString.copyFrom(new byte[60_000]))
                                .build(),
                        guest -> guest.status("s_1", Duration.ZERO)),
                lie(
                        "a negative pid",
                        SessionInfo.newBuilder().setId("s_1").setPid(-1).build(),
                        guest -> guest.status("s_1", Duration.ZERO)),
                lie(
                        "a file of 2^63 bytes",
                        FileInfo.newBuilder().setSize(Long.MIN_VALUE).build(),
                        guest -> guest.files().stat(PATH, false)),
                lie(
                        "a path of 60,000 bytes",
                        ResolvePathResponse.newBuilder()
                                .setPath(ByteString.copyFrom(new byte[60_000]))
                                .build(),
                        guest -> guest.files().resolve(PATH)),
                lie(
                        "more entries than were asked for",
                        ListResponse.newBuilder()
                                .addEntries(FileInfo.getDefaultInstance())
                                .addEntries(FileInfo.getDefaultInstance())
                                .build(),
                        guest -> guest.files().list(PATH, 1, 1, new byte[0])),
                lie(
                        "two million empty entries",
                        entries(2_000_000),
                        guest -> guest.files().list(PATH, 1, 10_000, new byte[0])));
    }

    @Test
    void aCodeThatIsNotTheGuestsToSayIsNotBelievedAndItsWordsCannotCommandATerminal() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    peer.refuse(
                            peer.call().id(),
                            "OWNED_ELSEWHERE",
                            "gone\u001b]0;title\u0007\r\n\u202e" + "x".repeat(10_000),
                            "do\u001b[8m this");
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            CortexException refused = assertFails(ErrorCode.INTERNAL, () -> guest.info(SOON));
            assertThat(refused.getMessage()).startsWith("gone?]0;title????x").hasSize(2_048);
            assertThat(refused.remedy()).contains("do?[8m this");
        }
    }

    @Test
    void aResponseThatIsAnnouncedAndNeverSentCostsNoMemory() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    Peer.Call call = peer.call();
                    peer.write(Peer.header(4 << 20, call.id(), 2));
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            assertFails(ErrorCode.GUEST_LOST, () -> guest.info(SOON));
        }
    }

    private interface Lie {
        void tell(Peer peer, Peer.Call call) throws Exception;
    }

    private DynamicTest hello(String name, ErrorCode code, ByteBuffer answer) {
        return DynamicTest.dynamicTest(name, () -> {
            try (ScriptedGuest scripted = scripted(peer -> {
                        peer.hello();
                        peer.write(answer.duplicate());
                    });
                    Guest guest = scripted.connect()) {
                assertFails(code, () -> guest.info(SOON));
                assertFails(code, guest::data);
            }
        });
    }

    /** The lie is told on the first stream; on the next the guest is honest, and is believed again. */
    private DynamicTest framing(String name, Lie lie) {
        return DynamicTest.dynamicTest(name, () -> {
            AtomicInteger streams = new AtomicInteger();
            try (ScriptedGuest scripted = scripted(peer -> {
                        peer.welcome();
                        Peer.Call call = peer.call();
                        if (streams.incrementAndGet() == 1) {
                            lie.tell(peer, call);
                            peer.untilHungUp();
                            return;
                        }
                        while (true) {
                            peer.answer(call.id(), info());
                            call = peer.call();
                        }
                    });
                    Guest guest = scripted.connect()) {
                long end = System.nanoTime() + SOON.toNanos();
                while (scripted.dials() < 2 && System.nanoTime() < end) {
                    try {
                        guest.info(Duration.ofSeconds(2));
                    } catch (CortexException lost) {
                        assertThat(lost.code()).isEqualTo(ErrorCode.GUEST_LOST);
                    }
                }
                assertThat(guest.info(SOON).uptimeMs()).isEqualTo(1);
            }
        });
    }

    private DynamicTest lie(String name, MessageLite answer, Consumer<Guest> call) {
        return DynamicTest.dynamicTest(name, () -> {
            try (ScriptedGuest scripted = scripted(peer -> {
                        peer.welcome();
                        peer.answer(peer.call().id(), answer);
                        peer.untilHungUp();
                    });
                    Guest guest = scripted.connect()) {
                assertFails(ErrorCode.GUEST_LOST, () -> call.accept(guest));
            }
        });
    }

    private ScriptedGuest scripted(ScriptedGuest.Script script) throws Exception {
        Path own = java.nio.file.Files.createTempDirectory(folder, "g");
        return new ScriptedGuest(own, script);
    }

    private static InfoResponse info() {
        return InfoResponse.newBuilder().setUptimeMs(1).build();
    }

    private static ByteBuffer ack(int version, HelloAck.Status status) {
        return new HelloAck(version, status).encode();
    }

    private static ListSessionsResponse sessions(int count) {
        ListSessionsResponse.Builder sessions = ListSessionsResponse.newBuilder();
        for (int i = 0; i < count; i++) {
            sessions.addSessions(SessionInfo.getDefaultInstance());
        }
        return sessions.build();
    }

    /** Two bytes an entry: what such an answer would cost in memory is a hundred times more. */
    private static ListResponse entries(int count) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            for (int i = 0; i < count; i++) {
                out.writeTag(1, 2);
                out.writeUInt32NoTag(0);
            }
            out.flush();
            return ListResponse.parseFrom(bytes.toByteArray());
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }
}
