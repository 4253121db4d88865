package dev.cortex.guest;

import static dev.cortex.guest.Failures.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.cortex.guest.ScriptedGuest.Peer;
import dev.cortex.guest.pb.ConnectEvent;
import dev.cortex.guest.pb.ErrorDetail;
import dev.cortex.guest.pb.Via;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestEvent;
import dev.cortex.sandbox.guest.GuestEvents;
import dev.cortex.sandbox.guest.GuestTunnel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** What a guest asks, and what it gets: honest frames, and lies. */
final class EventStreamTest {
    private static final Frame.Handshake EVENTS = new Frame.Handshake(Frame.Kind.EVENTS, Frame.Mode.OBSERVE, 0, "");
    private static final Frame.HandshakeAck ACK = new Frame.HandshakeAck(true, 0, 0, 0);

    @TempDir
    Path folder;

    private static FrameChannel accept(Peer peer, Frame.Handshake expected) throws IOException {
        peer.welcome();
        FrameChannel frames = peer.frames();
        assertThat(frames.read()).contains(expected);
        frames.write(ACK);
        return frames;
    }

    private static Frame.Event connect(ConnectEvent.Builder body) {
        return new Frame.Event(17, 1, ByteBuffer.wrap(body.build().toByteArray()));
    }

    private static ConnectEvent.Builder body() {
        return ConnectEvent.newBuilder()
                .setHost(ByteString.copyFromUtf8("pypi.example"))
                .setPort(443)
                .setVia(Via.VIA_CONNECT)
                .setSession("s_7f")
                .setProgram(ByteString.copyFromUtf8("pip"));
    }

    @Test
    void whatIsAskedIsReadAndWhatIsRefusedIsTold() throws Exception {
        CompletableFuture<Frame> told = new CompletableFuture<>();
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    FrameChannel frames = accept(peer, EVENTS);
                    frames.write(connect(body()));
                    frames.write(new Frame.Event(17, 2, ByteBuffer.allocate(0)));
                    frames.write(new Frame.Event(-1, 200, ByteBuffer.allocate(16_384)));
                    if (frames.read().orElseThrow() instanceof Frame.Answer answer) {
                        byte[] copy = new byte[answer.body().remaining()];
                        answer.body().get(copy);
                        told.complete(new Frame.Answer(answer.number(), answer.kind(), ByteBuffer.wrap(copy)));
                    }
                });
                Guest guest = scripted.connect();
                GuestEvents events = guest.events()) {
            assertThat(events.next())
                    .contains(
                            new GuestEvent.Connect(17, "pypi.example", 443, GuestEvent.Via.TUNNEL, "", "s_7f", "pip"));
            assertThat(events.next()).contains(new GuestEvent.Withdrawn(17));
            assertThat(events.next()).contains(new GuestEvent.Unknown(-1, 200));
            events.refuse(17, CortexException.of(ErrorCode.DENIED, "pypi.example is not allowed", "allow it"));
            assertThat(events.next()).isEmpty();
        }
        ErrorDetail detail = ErrorDetail.newBuilder()
                .setCode("DENIED")
                .setMessage("pypi.example is not allowed")
                .setRemedy("allow it")
                .build();
        assertThat(told.get()).isEqualTo(new Frame.Answer(17, 1, ByteBuffer.wrap(detail.toByteArray())));
    }

    @Test
    void wordsThatWouldCommandATerminalAreMadeHarmless() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    FrameChannel frames = accept(peer, EVENTS);
                    frames.write(connect(body().setProgram(ByteString.copyFromUtf8("a\u001b[2Jb"))
                            .setSession("s\n1")
                            .setHost(ByteString.copyFrom(new byte[] {'a', (byte) 0xff}))));
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect();
                GuestEvents events = guest.events()) {
            GuestEvent.Connect asked = (GuestEvent.Connect) events.next().orElseThrow();
            assertThat(asked.program()).isEqualTo("a?[2Jb");
            assertThat(asked.session()).isEqualTo("s?1");
            assertThat(asked.host()).as("no name that anything could resolve").endsWith("?");
        }
    }

    @TestFactory
    Stream<DynamicTest> everyLieAmongEventsEndsThem() {
        return Stream.of(
                lie("a frame of a session", new Frame.Gap(1)),
                lie("an answer", new Frame.Answer(17, 1, ByteBuffer.allocate(0))),
                lie("a body that is no message", new Frame.Event(17, 1, ByteBuffer.wrap(new byte[] {(byte) 0xff}))),
                lie("port 0", connect(body().setPort(0))),
                lie("port 65,536", connect(body().setPort(65_536))),
                lie("port 2^32-1", connect(body().setPort(-1))),
                lie("no host", connect(body().clearHost())),
                lie("a host of 256 bytes", connect(body().setHost(ByteString.copyFromUtf8("a".repeat(256))))),
                lie("a long program", connect(body().setProgram(ByteString.copyFromUtf8("a".repeat(17))))),
                lie("a long method", connect(body().setMethod("A".repeat(33)))),
                lie("a thousand fields", new Frame.Event(17, 1, thousandFields())));
    }

    /** Field 15, which nobody knows, again and again. */
    private static ByteBuffer thousandFields() {
        ByteBuffer fields = ByteBuffer.allocate(2_000);
        while (fields.hasRemaining()) {
            fields.put((byte) (15 << 3)).put((byte) 1);
        }
        return fields.flip();
    }

    private DynamicTest lie(String name, Frame frame) {
        return DynamicTest.dynamicTest(name, () -> {
            Path place = java.nio.file.Files.createTempDirectory(folder, "g");
            try (ScriptedGuest scripted = new ScriptedGuest(place, peer -> {
                        accept(peer, EVENTS).write(frame);
                        peer.untilHungUp();
                    });
                    Guest guest = scripted.connect();
                    GuestEvents events = guest.events()) {
                assertFails(ErrorCode.GUEST_LOST, events::next);
            }
        });
    }

    @Test
    void aGuestWithoutAProxySaysSoAndOneThatSaysNothingIsGivenUp() throws Exception {
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    peer.welcome();
                    FrameChannel frames = peer.frames();
                    if (frames.read().orElseThrow() instanceof Frame.Handshake asked
                            && asked.kind() == Frame.Kind.EVENTS) {
                        frames.write(new Frame.Error("UNSUPPORTED", "no proxy"));
                    }
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect()) {
            assertFails(ErrorCode.UNSUPPORTED, guest::events);
            assertFails(ErrorCode.GUEST_LOST, () -> guest.tunnel(1));
        }
    }

    @Test
    void aTunnelCarriesBytesAndEndsInHalves() throws Exception {
        CompletableFuture<Integer> got = new CompletableFuture<>();
        try (ScriptedGuest scripted = new ScriptedGuest(folder, peer -> {
                    FrameChannel frames = accept(
                            peer,
                            new Frame.Handshake(Frame.Kind.EGRESS, Frame.Mode.OBSERVE, 0, "18446744073709551615"));
                    frames.write(new Frame.Data(
                            Frame.Tag.STDOUT, ByteBuffer.wrap("ask".getBytes(StandardCharsets.US_ASCII))));
                    frames.write(new Frame.Eof());
                    int bytes = 0;
                    Frame next = frames.read().orElseThrow();
                    while (next instanceof Frame.Data data && data.tag() == Frame.Tag.STDIN) {
                        bytes += data.bytes().remaining();
                        next = frames.read().orElseThrow();
                    }
                    assertThat(next).isInstanceOf(Frame.Eof.class);
                    got.complete(bytes);
                    frames.write(new Frame.Exit(1, 0));
                    peer.untilHungUp();
                });
                Guest guest = scripted.connect();
                GuestTunnel tunnel = guest.tunnel(-1)) {
            assertThat(tunnel.read()).contains(ByteBuffer.wrap("ask".getBytes(StandardCharsets.US_ASCII)));
            assertThat(tunnel.read()).isEmpty();
            tunnel.write(ByteBuffer.allocate(200_000));
            tunnel.endOutput();
            tunnel.awaitDelivered(Duration.ofSeconds(20));
            assertThat(got.get()).isEqualTo(200_000);
        }
    }

    @TestFactory
    Stream<DynamicTest> aTunnelThatBreaksIsNoEnd() {
        return Stream.of(
                broken("the guest's error", new Frame.Error("INTERNAL", "the program has gone")),
                broken("an exit in the middle", new Frame.Exit(1, 0)),
                broken("data of another tag", new Frame.Data(Frame.Tag.STDERR, ByteBuffer.allocate(1))),
                broken("an event", new Frame.Event(1, 1, ByteBuffer.allocate(0))));
    }

    private DynamicTest broken(String name, Frame frame) {
        return DynamicTest.dynamicTest(name, () -> {
            Path place = java.nio.file.Files.createTempDirectory(folder, "t");
            try (ScriptedGuest scripted = new ScriptedGuest(place, peer -> {
                        accept(peer, new Frame.Handshake(Frame.Kind.EGRESS, Frame.Mode.OBSERVE, 0, "1"))
                                .write(frame);
                    });
                    Guest guest = scripted.connect();
                    GuestTunnel tunnel = guest.tunnel(1)) {
                assertThatThrownBy(tunnel::read).isInstanceOf(IOException.class);
            }
        });
    }
}
