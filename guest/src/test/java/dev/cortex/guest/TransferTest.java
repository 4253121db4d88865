package dev.cortex.guest;

import static dev.cortex.guest.Failures.assertFails;
import static dev.cortex.guest.Failures.assertIs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cortex.guest.ScriptedGuest.Peer;
import dev.cortex.guest.pb.CopyRequest;
import dev.cortex.guest.pb.CopyResponse;
import dev.cortex.guest.pb.FileInfo;
import dev.cortex.guest.pb.FileType;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.Hello;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestFiles.GuestPath;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that move in and out of a guest which is honest, refuses half-way, or lies. */
final class TransferTest {
    private static final GuestPath PATH = new GuestPath("/f".getBytes(StandardCharsets.UTF_8), "");

    @TempDir
    Path folder;

    private final AtomicReference<CopyRequest> asked = new AtomicReference<>();

    private CopyRequest asked() {
        return Objects.requireNonNull(asked.get(), "no Copy was called");
    }

    private interface DataScript {
        void run(FrameChannel frames) throws Exception;
    }

    /** A guest that takes a Copy, and does with the transfer's frames, behind the Handshake, what the test says. */
    private ScriptedGuest guest(DataScript script) throws IOException {
        return new ScriptedGuest(folder, peer -> {
            Hello hello = peer.welcome();
            if (hello.purpose() == Hello.Purpose.CONTROL) {
                while (true) {
                    Peer.Call call = peer.call();
                    asked.set(CopyRequest.parseFrom(call.payload()));
                    FileInfo file = FileInfo.newBuilder()
                            .setType(FileType.FILE_TYPE_REGULAR)
                            .setSize(3)
                            .build();
                    peer.answer(
                            call.id(), CopyResponse.newBuilder().setFile(file).build());
                }
            }
            FrameChannel frames = peer.frames();
            assertThat(frames.read())
                    .contains(new Frame.Handshake(Frame.Kind.TRANSFER, Frame.Mode.OBSERVE, 0, asked().getTransferId()));
            frames.write(new Frame.HandshakeAck(true, 0, 0, 0));
            script.run(frames);
        });
    }

    @Test
    void aPushArrivesWholeAndReturnsOnceTheGuestSaysSo() throws Exception {
        byte[] content = random(1_000_003);
        ByteArrayOutputStream arrived = new ByteArrayOutputStream();
        try (ScriptedGuest scripted = guest(frames -> {
                    while (frames.read().orElseThrow() instanceof Frame.Data data) {
                        arrived.write(bytes(data));
                    }
                    frames.write(new Frame.Exit(1, 0));
                });
                Guest guest = scripted.connect()) {
            guest.files().write(PATH, channel(content), 0, 0640, true);
            assertThat(arrived.toByteArray()).isEqualTo(content);
            assertThat(asked().getMode()).isEqualTo(0640);
            assertThat(asked().getMakeParents()).isTrue();
            assertThat(asked().getTransferId()).matches("t_[0-9a-z]{16}");
        }
    }

    @Test
    void aPullHandsOnEveryByteAfterItSaidWhatComes() throws Exception {
        byte[] content = random(300_000);
        try (ScriptedGuest scripted = guest(frames -> {
                    for (int at = 0; at < content.length; at += 50_000) {
                        frames.write(stdout(Arrays.copyOfRange(content, at, at + 50_000)));
                    }
                    frames.write(new Frame.Eof());
                    frames.write(new Frame.Exit(1, 0));
                });
                Guest guest = scripted.connect()) {
            ByteArrayOutputStream to = new ByteArrayOutputStream();
            AtomicInteger begun = new AtomicInteger();
            guest.files()
                    .read(
                            PATH,
                            0,
                            0,
                            file -> {
                                assertThat(file.size()).isEqualTo(3);
                                assertThat(to.size()).isZero();
                                begun.incrementAndGet();
                            },
                            Channels.newChannel(to));
            assertThat(to.toByteArray()).isEqualTo(content);
            assertThat(begun).hasValue(1);
        }
    }

    @Test
    void aTransferThatStallsUntilItsSandboxIsStoppedSaysSo() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (ScriptedGuest scripted = guest(frames -> {
                    frames.read();
                    sent.countDown();
                    over.await();
                });
                Guest guest = scripted.connect()) {
            CompletableFuture<Throwable> told = new CompletableFuture<>();
            ReadableByteChannel stalls = new ReadableByteChannel() {
                private boolean begun;

                @Override
                public int read(ByteBuffer to) throws IOException {
                    if (begun) {
                        try {
                            over.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                    begun = true;
                    int bytes = to.remaining();
                    to.put(new byte[bytes]);
                    return bytes;
                }

                @Override
                public boolean isOpen() {
                    return true;
                }

                @Override
                public void close() {}
            };
            Thread.ofVirtual()
                    .start(() ->
                            told.complete(catchThrowable(() -> guest.files().write(PATH, stalls, 0, 0640, true))));
            assertThat(sent.await(60, TimeUnit.SECONDS)).isTrue();
            guest.close();
            over.countDown();
            assertThat(told.get(60, TimeUnit.SECONDS)).isInstanceOfSatisfying(CortexException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.GUEST_LOST);
                assertThat(e.reason().orElse("")).startsWith("the sandbox was stopped");
            });
        }
    }

    @Test
    void aGuestThatRefusesHalfWayFreesTheWriterAndItsWordsAreTheError() throws Exception {
        try (ScriptedGuest scripted = guest(frames -> {
                    frames.read();
                    frames.write(new Frame.Error("DISK_FULL", "the disk is full"));
                    Thread.sleep(60_000);
                });
                Guest guest = scripted.connect()) {
            var refused = assertFails(
                    ErrorCode.DISK_FULL,
                    () -> guest.files().write(PATH, Channels.newChannel(new Endless()), 0, 0, false));
            assertThat(refused).hasMessage("the disk is full");
        }
    }

    @Test
    void aPushThatIsInterruptedWhileTheGuestTakesNothingIsCancelled() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (ScriptedGuest scripted = guest(frames -> {
                    frames.read();
                    begun.countDown();
                    Thread.sleep(60_000);
                });
                Guest guest = scripted.connect()) {
            CompletableFuture<Throwable> end = new CompletableFuture<>();
            Thread pushing = Thread.ofVirtual()
                    .start(() -> end.complete(catchThrowable(
                            () -> guest.files().write(PATH, Channels.newChannel(new Endless()), 0, 0, false))));
            begun.await();
            while (pushing.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            pushing.interrupt();
            assertIs(ErrorCode.CANCELLED, end.get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void aGuestThatSaysDoneBeforeTheEndIsNotBelieved() throws Exception {
        try (ScriptedGuest scripted = guest(frames -> {
                    frames.read();
                    frames.write(new Frame.Exit(1, 0));
                });
                Guest guest = scripted.connect()) {
            assertFails(
                    ErrorCode.GUEST_LOST,
                    () -> guest.files().write(PATH, Channels.newChannel(new Endless()), 0, 0, false));
        }
    }

    @Test
    void aPushWhoseSenderGoesAwayIsCancelledAndNeverEndsWell() throws Exception {
        AtomicInteger ends = new AtomicInteger();
        try (ScriptedGuest scripted = guest(frames -> {
                    while (frames.read().isPresent()) {
                        ends.incrementAndGet();
                    }
                });
                Guest guest = scripted.connect()) {
            ReadableByteChannel broken = new ReadableByteChannel() {
                @Override
                public int read(ByteBuffer to) throws IOException {
                    throw new IOException("the client hung up");
                }

                @Override
                public boolean isOpen() {
                    return true;
                }

                @Override
                public void close() {}
            };
            assertFails(ErrorCode.CANCELLED, () -> guest.files().unpack(PATH, broken, false));
            assertThat(ends).hasValue(0);
        }
    }

    @Test
    void aPullThatIsRefusedNeverBegins() throws Exception {
        try (ScriptedGuest scripted = guest(frames -> frames.write(new Frame.Error("DENIED", "not yours")));
                Guest guest = scripted.connect()) {
            assertFails(
                    ErrorCode.DENIED,
                    () -> guest.files()
                            .pack(
                                    PATH,
                                    file -> {
                                        throw new AssertionError("began");
                                    },
                                    Channels.newChannel(new ByteArrayOutputStream())));
        }
    }

    @Test
    void aPullThatBreaksOffIsNeverTakenForWhole() throws Exception {
        assertPullFails(frames -> frames.write(stdout(new byte[3])));
        assertPullFails(frames -> {
            frames.write(stdout(new byte[3]));
            frames.write(new Frame.Eof());
        });
        assertPullFails(frames -> {
            frames.write(stdout(new byte[3]));
            frames.write(new Frame.Exit(1, 0));
        });
        assertPullFails(frames -> {
            frames.write(new Frame.Eof());
            frames.write(stdout(new byte[3]));
            frames.write(new Frame.Exit(1, 0));
        });
        assertPullFails(frames -> {
            frames.write(new Frame.Data(Frame.Tag.STDERR, ByteBuffer.wrap(new byte[3])));
            frames.write(new Frame.Eof());
            frames.write(new Frame.Exit(1, 0));
        });
    }

    @Test
    void aPullGivesNotOneByteMoreThanWasAskedFor() throws Exception {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (ScriptedGuest scripted = guest(frames -> {
                    while (true) {
                        frames.write(stdout(new byte[10]));
                    }
                });
                Guest guest = scripted.connect()) {
            assertFails(
                    ErrorCode.GUEST_LOST, () -> guest.files().read(PATH, 0, 25, file -> {}, Channels.newChannel(to)));
            assertThat(to.size()).isEqualTo(20);
        }
    }

    @Test
    void aReceiverThatGoesAwayCancelsThePull() throws Exception {
        try (ScriptedGuest scripted = guest(frames -> {
                    while (true) {
                        frames.write(stdout(new byte[50_000]));
                    }
                });
                Guest guest = scripted.connect()) {
            WritableByteChannel gone = new WritableByteChannel() {
                @Override
                public int write(ByteBuffer from) throws IOException {
                    throw new IOException("the client hung up");
                }

                @Override
                public boolean isOpen() {
                    return true;
                }

                @Override
                public void close() {}
            };
            assertFails(ErrorCode.CANCELLED, () -> guest.files().read(PATH, 0, 0, file -> {}, gone));
        }
    }

    @Test
    void closingTheGuestClosesItsDataStreams() throws Exception {
        try (ScriptedGuest scripted = guest(frames -> Thread.sleep(60_000))) {
            Guest guest = scripted.connect();
            FrameChannel open = guest.data();
            guest.close();
            assertThatIOException().isThrownBy(open::read);
            assertFails(ErrorCode.GUEST_LOST, guest::data);
        }
    }

    private void assertPullFails(DataScript script) throws Exception {
        try (ScriptedGuest scripted = guest(script);
                Guest guest = scripted.connect()) {
            assertFails(
                    ErrorCode.GUEST_LOST,
                    () -> guest.files().read(PATH, 0, 0, file -> {}, Channels.newChannel(new ByteArrayOutputStream())));
        }
        Files.delete(folder.resolve("guest.sock"));
    }

    private static Frame.Data stdout(byte[] bytes) {
        return new Frame.Data(Frame.Tag.STDOUT, ByteBuffer.wrap(bytes));
    }

    private static byte[] bytes(Frame.Data data) {
        byte[] bytes = new byte[data.bytes().remaining()];
        data.bytes().get(bytes);
        return bytes;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static ReadableByteChannel channel(byte[] bytes) {
        return Channels.newChannel(new ByteArrayInputStream(bytes));
    }

    private static final class Endless extends InputStream {
        @Override
        public int read() {
            return 0;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            return length;
        }
    }
}
