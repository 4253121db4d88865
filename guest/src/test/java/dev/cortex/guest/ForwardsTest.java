package dev.cortex.guest;

import static dev.cortex.guest.Failures.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.guest.Guest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections to ports of a guest that is honest, refuses, or lies. */
final class ForwardsTest {
    @TempDir
    Path folder;

    private interface Script {
        void run(FrameChannel frames) throws Exception;
    }

    private ScriptedGuest guest(Script script) throws IOException {
        return new ScriptedGuest(folder, peer -> {
            peer.welcome();
            FrameChannel frames = peer.frames();
            assertThat(frames.read())
                    .contains(new Frame.Handshake(Frame.Kind.FORWARD, Frame.Mode.OBSERVE, 0, "tcp:8080"));
            script.run(frames);
        });
    }

    @Test
    void aForwardIsOpenOnceTheGuestHasConnected() throws Exception {
        try (ScriptedGuest scripted = guest(frames -> {
                    frames.write(new Frame.HandshakeAck(true, 0, 0, 0));
                    frames.write(frames.read().orElseThrow());
                });
                Guest guest = scripted.connect();
                FrameChannel channel = guest.forward(8080)) {
            channel.write(new Frame.Data(Frame.Tag.STDIN, ByteBuffer.wrap(new byte[] {1, 2, 3})));
            assertThat(channel.read())
                    .get()
                    .isInstanceOfSatisfying(
                            Frame.Data.class,
                            data -> assertThat(data.bytes().remaining()).isEqualTo(3));
        }
    }

    @Test
    void aRefusalIsToldWithWhatHelps() throws Exception {
        try (ScriptedGuest scripted =
                        guest(frames -> frames.write(new Frame.Error("NOT_READY", "nothing listens on port 8080")));
                Guest guest = scripted.connect()) {
            assertThat(assertFails(ErrorCode.NOT_READY, () -> guest.forward(8080))
                            .remedy())
                    .hasValueSatisfying(remedy -> assertThat(remedy).contains("start a server"));
        }
    }

    @Test
    void aGuestThatEndsTheStreamOrBreaksTheProtocolIsLost() throws Exception {
        for (Script lie : new Script[] {
            frames -> {}, frames -> frames.write(new Frame.Eof()), frames -> frames.write(new Frame.Exit(1, 0))
        }) {
            try (ScriptedGuest scripted = guest(lie);
                    Guest guest = scripted.connect()) {
                assertFails(ErrorCode.GUEST_LOST, () -> guest.forward(8080));
            }
            java.nio.file.Files.delete(folder.resolve("guest.sock"));
        }
    }
}
