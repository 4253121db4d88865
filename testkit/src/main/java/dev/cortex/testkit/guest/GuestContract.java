package dev.cortex.testkit.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cortex.guest.NeuronConnector;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.wire.Frame;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestFiles;
import dev.cortex.sandbox.guest.GuestFiles.FileEntry;
import dev.cortex.sandbox.guest.GuestFiles.FileType;
import dev.cortex.sandbox.guest.GuestFiles.GuestPath;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestToken;
import dev.cortex.sandbox.guest.SessionSpec;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.guest.SessionStatus.Cause;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the host's end and a neuron promise each other. A subclass says where a fresh neuron is: one that was started
 * for this test and has not been initialized. The sandbox must have a POSIX shell.
 */
public abstract class GuestContract {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final GuestToken token = GuestToken.random(new SecureRandom());
    private final Guest guest;
    private int sessions;

    /** Connects to nothing yet: the first call dials, once the subclass has made its place. */
    protected GuestContract() {
        guest = new NeuronConnector().connect(() -> dialer().get(), GuestToken.NONE);
    }

    /** Dials the neuron of this test. */
    protected abstract Supplier<GuestStream> dialer();

    /** The default user that this place can have. */
    protected abstract GuestIdentity.User user();

    /** A folder that the default user may write; made by Initialize where it is missing. */
    protected abstract String workdir();

    @BeforeEach
    final void initialize() {
        guest.initialize(identity(token), LONG);
    }

    @AfterEach
    final void disconnect() {
        guest.close();
    }

    private GuestIdentity identity(GuestToken with) {
        return new GuestIdentity(
                with,
                1,
                "",
                "",
                List.of(bytes("PATH=/usr/local/bin:/usr/bin:/bin")),
                user(),
                workdir(),
                0,
                true,
                false);
    }

    @Test
    void anInitializedGuestSaysThatItIsReady() {
        assertThat(guest.info(LONG).initialized()).isTrue();
        assertThat(guest.info(LONG).ready()).isTrue();
        assertThat(guest.info(LONG).version()).isNotEmpty();
    }

    @Test
    void initializeWithTheSameTokenIsAnsweredAgainAndWithAnotherIsRefused() {
        guest.initialize(identity(token), LONG);
        try (Guest stranger = new NeuronConnector().connect(dialer(), GuestToken.NONE)) {
            Throwable refused =
                    catchThrowable(() -> stranger.initialize(identity(GuestToken.random(new SecureRandom())), LONG));
            assertThat(refused).isInstanceOf(CortexException.class);
        }
        guest.info(LONG);
    }

    @Test
    void withoutTheTokenNothingButInfoIsAnswered() {
        try (Guest stranger = new NeuronConnector().connect(dialer(), GuestToken.NONE)) {
            stranger.info(LONG);
            assertThat(catchThrowable(stranger::sessions)).isInstanceOf(CortexException.class);
            assertFails(ErrorCode.UNAUTHENTICATED, stranger::data);
        }
        try (Guest liar = new NeuronConnector().connect(dialer(), GuestToken.random(new SecureRandom()))) {
            assertFails(ErrorCode.UNAUTHENTICATED, () -> liar.info(LONG));
            assertFails(ErrorCode.UNAUTHENTICATED, liar::data);
        }
    }

    @Test
    void aSessionsOutputItsOrderAndItsExitStatusReachAnAttachedHolder() throws IOException {
        SessionStatus started = guest.exec(shell("printf one; printf two >&2; sleep 0.1; printf three; exit 3"));
        Seen seen = attach(started.id(), 0);
        assertThat(seen.stdout).isEqualTo("onethree");
        assertThat(seen.stderr).isEqualTo("two");
        assertThat(seen.end).isEqualTo(new Frame.Exit(Cause.EXITED.wire(), 3));
        SessionStatus ended = guest.status(started.id(), LONG);
        assertThat(ended.cause()).contains(Cause.EXITED);
        assertThat(ended.code()).isEqualTo(3);
        assertThat(ended.newest()).isEqualTo(11);
    }

    @Test
    void attachingAgainFromACursorGivesTheRestAndNothingTwice() throws IOException {
        SessionStatus started = guest.exec(shell("printf 0123456789"));
        guest.status(started.id(), LONG);
        assertThat(attach(started.id(), 4).stdout).isEqualTo("456789");
        assertThat(attach(started.id(), 10).stdout).isEmpty();
    }

    @Test
    void theSameSessionIdStartsOneProcess() throws IOException {
        SessionSpec spec = shell("echo $$");
        SessionStatus first = guest.exec(spec);
        SessionStatus second = guest.exec(spec);
        assertThat(second.pid()).isEqualTo(first.pid());
        guest.status(spec.id(), LONG);
        assertThat(attach(spec.id(), 0).stdout.lines()).hasSize(1);
        assertThat(guest.sessions()).hasSize(1);
    }

    @Test
    void whatIsWrittenToStdinComesBackByteForByte() throws IOException {
        SessionSpec spec = spec(List.of("cat"), true, Optional.empty());
        guest.exec(spec);
        byte[] sent = new byte[200_000];
        new Random(4).nextBytes(sent);
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        try (FrameChannel frames = guest.data()) {
            frames.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, 0, spec.id()));
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> feed(frames, sent));
            Frame frame = next(frames);
            while (!(frame instanceof Frame.Exit)) {
                if (frame instanceof Frame.Data data) {
                    received.writeBytes(copy(data));
                }
                frame = next(frames);
            }
            writer.join();
        }
        assertThat(received.toByteArray()).isEqualTo(sent);
    }

    @Test
    void aCommandThatIsNotThereEndsWith127AndIsNoError() {
        SessionStatus session = guest.exec(spec(List.of("no-such-command"), false, Optional.empty()));
        SessionStatus ended = guest.status(session.id(), LONG);
        assertThat(ended.cause()).contains(Cause.NOT_FOUND);
        assertThat(ended.code()).isEqualTo(127);
    }

    @Test
    void aTimeoutEndsASessionWithItsCause() {
        SessionStatus session = guest.exec(spec(List.of("sleep", "60"), false, Optional.of(Duration.ofMillis(200))));
        assertThat(guest.status(session.id(), LONG).cause()).contains(Cause.TIMEOUT);
    }

    @Test
    void aSignalEndsASessionAndRemovingForgetsItsOutput() throws Exception {
        SessionStatus session = guest.exec(shell("echo kept; exec sleep 60"));
        while (guest.status(session.id(), Duration.ZERO).newest() == 0) {
            Thread.sleep(5); // until it has said something that can be forgotten
        }
        assertThat(guest.signal(session.id(), 15, true)).isPositive();
        SessionStatus ended = guest.status(session.id(), LONG);
        assertThat(ended.cause()).contains(Cause.SIGNALED);
        assertThat(ended.code()).isEqualTo(15);
        guest.removeSession(session.id());
        assertThat(attach(session.id(), 0).stdout).isEmpty();
        assertThat(guest.status(session.id(), Duration.ZERO).evicted()).isTrue();
    }

    @Test
    void aSessionThatNobodyStartedIsNotFound() {
        assertFails(ErrorCode.NOT_FOUND, () -> guest.status("s_nobody", Duration.ZERO));
        assertFails(ErrorCode.NOT_FOUND, () -> guest.signal("s_nobody", 15, false));
    }

    @Test
    void argumentsArePassedByteForByteUpToTheKernelsLimitAndOneMoreIsRefused() throws IOException {
        byte[] odd = {'a', (byte) 0xff, (byte) 0xfe, '\n', 'z'};
        String id = mint();
        guest.exec(new SessionSpec(
                id,
                List.of(
                        bytes("sh"),
                        bytes("-c"),
                        bytes("printf %s:%s:%s \"$1\" \"$2\" ${#3}"),
                        bytes("sh"),
                        odd,
                        bytes(""),
                        new byte[0]),
                List.of(),
                new byte[0],
                "",
                Optional.empty(),
                false,
                false,
                Optional.empty(),
                false,
                ""));
        guest.status(id, LONG);
        assertThat(attach(id, 0).stdoutBytes).isEqualTo(concat(odd, bytes("::0")));
        byte[] longest = new byte[SessionSpec.ARGUMENT_BYTES];
        Arrays.fill(longest, (byte) 'x');
        assertThat(length(longest)).isEqualTo("131071");
        assertFails(ErrorCode.INVALID_ARGUMENT, () -> length(concat(longest, bytes("x"))));
        assertFails(ErrorCode.INVALID_ARGUMENT, () -> length(new byte[] {'a', 0, 'b'}));
    }

    private String length(byte[] argument) throws IOException {
        String id = mint();
        guest.exec(new SessionSpec(
                id,
                List.of(bytes("sh"), bytes("-c"), bytes("printf %s ${#1}"), bytes("sh"), argument),
                List.of(),
                new byte[0],
                "",
                Optional.empty(),
                false,
                false,
                Optional.empty(),
                false,
                ""));
        guest.status(id, LONG);
        return attach(id, 0).stdout;
    }

    @Test
    void aFileIsWrittenReadInRangesMovedAndRemoved() {
        GuestFiles files = guest.files();
        byte[] content = new byte[300_000];
        new Random(8).nextBytes(content);
        GuestPath path = path("folder/ä.bin");
        files.write(path, Channels.newChannel(new ByteArrayInputStream(content)), 0, 0640, true);
        FileEntry entry = files.stat(path, false);
        assertThat(entry.type()).isEqualTo(FileType.FILE);
        assertThat(entry.size()).isEqualTo(content.length);
        assertThat(entry.mode()).isEqualTo(0640);
        assertThat(read(path, 0, 0)).isEqualTo(content);
        assertThat(read(path, 1_000, 17)).isEqualTo(Arrays.copyOfRange(content, 1_000, 1_017));
        assertThat(read(path, content.length - 5, 100))
                .isEqualTo(Arrays.copyOfRange(content, content.length - 5, content.length));
        files.move(path, path("moved"), false);
        assertFails(ErrorCode.NOT_FOUND, () -> files.stat(path, false));
        assertThat(files.remove(path("moved"), false)).isEqualTo(1);
    }

    @Test
    void aFolderIsMadeListedPackedUnpackedAndRemoved() throws Exception {
        GuestFiles files = guest.files();
        assertThat(files.makeDirectory(path("a/b"), true, 0)).isTrue();
        assertThat(files.makeDirectory(path("a/b"), true, 0)).isFalse();
        files.write(path("a/b/one"), Channels.newChannel(new ByteArrayInputStream(bytes("1"))), 0, 0, false);
        byte[] odd = concat(bytes("a/"), new byte[] {(byte) 0xff, 'x'});
        files.write(new GuestPath(odd, ""), Channels.newChannel(new ByteArrayInputStream(bytes("2"))), 0, 0, false);
        assertThat(files.list(path("a"), 2, 100, new byte[0]).entries()).hasSize(3);
        assertThat(files.list(path("a"), 1, 1, new byte[0]).truncated()).isTrue();
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        List<FileEntry> begun = new ArrayList<>();
        files.pack(path("a"), begun::add, Channels.newChannel(tar));
        assertThat(begun).hasSize(1);
        assertThat(begun.getFirst().type()).isEqualTo(FileType.DIRECTORY);
        files.unpack(path("copy"), Channels.newChannel(new ByteArrayInputStream(tar.toByteArray())), false);
        assertThat(files.list(path("copy"), 2, 100, new byte[0]).entries()).hasSize(3);
        assertThat(read(path("copy/b/one"), 0, 0)).isEqualTo(bytes("1"));
        assertThat(files.remove(path("copy"), true)).isEqualTo(4);
    }

    @Test
    void aPathIsResolvedInsideAndWhatIsNotThereIsNotFound() {
        GuestFiles.Resolved resolved = guest.files().resolve(path("x/../y"));
        assertThat(new String(resolved.path(), StandardCharsets.UTF_8))
                .startsWith("/")
                .endsWith("/y");
        assertThat(resolved.exists()).isFalse();
        assertFails(ErrorCode.NOT_FOUND, () -> read(path("nothing"), 0, 0));
        assertFails(
                ErrorCode.NOT_FOUND,
                () -> guest.files()
                        .pack(path("nothing"), entry -> {}, Channels.newChannel(new ByteArrayOutputStream())));
    }

    @Test
    void aThousandCallsOfManyThreadsAreEachAnsweredToTheirCaller() throws Exception {
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (int thread = 0; thread < 20; thread++) {
            String name = "t" + thread;
            CompletableFuture<Void> done = new CompletableFuture<>();
            callers.add(done);
            Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < 50; i++) {
                        String path =
                                new String(guest.files().resolve(path(name)).path(), StandardCharsets.UTF_8);
                        assertThat(path).endsWith("/" + name);
                    }
                    done.complete(null);
                } catch (Throwable failure) {
                    done.completeExceptionally(failure);
                }
            });
        }
        for (CompletableFuture<Void> caller : callers) {
            caller.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shutdownAnswersAndThenTheStreamEnds() throws Exception {
        SessionStatus session = guest.exec(shell("sleep 60"));
        assertThat(session.cause()).isEmpty();
        CompletableFuture<Void> lost = CompletableFuture.runAsync(guest::awaitLost);
        guest.shutdown(Duration.ofMillis(200));
        lost.get(60, TimeUnit.SECONDS);
    }

    // ---- words of the tests ------------------------------------------------------------------------------------

    private record Seen(byte[] stdoutBytes, String stdout, String stderr, Frame end) {}

    private Seen attach(String session, long cursor) throws IOException {
        ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        try (FrameChannel frames = guest.data()) {
            frames.write(new Frame.Handshake(Frame.Kind.ATTACH, Frame.Mode.HOLD, cursor, session));
            Frame frame = next(frames);
            while (!(frame instanceof Frame.Exit) && !(frame instanceof Frame.Error)) {
                if (frame instanceof Frame.Data data) {
                    (data.tag() == Frame.Tag.STDERR ? stderr : stdout).writeBytes(copy(data));
                }
                frame = next(frames);
            }
            return new Seen(
                    stdout.toByteArray(),
                    stdout.toString(StandardCharsets.UTF_8),
                    stderr.toString(StandardCharsets.UTF_8),
                    frame);
        }
    }

    private static Frame next(FrameChannel frames) throws IOException {
        return frames.read().orElseThrow(() -> new IOException("the stream ended without an Exit"));
    }

    private static byte[] copy(Frame.Data data) {
        byte[] bytes = new byte[data.bytes().remaining()];
        data.bytes().get(bytes);
        return bytes;
    }

    private static void feed(FrameChannel frames, byte[] bytes) {
        try {
            for (int at = 0; at < bytes.length; at += 10_000) {
                frames.write(new Frame.Data(Frame.Tag.STDIN, ByteBuffer.wrap(bytes, at, 10_000)));
            }
            frames.write(new Frame.StdinClose());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] read(GuestPath path, long offset, long length) {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        guest.files().read(path, offset, length, entry -> {}, Channels.newChannel(to));
        return to.toByteArray();
    }

    private SessionSpec shell(String script) {
        return spec(List.of("sh", "-c", script), false, Optional.empty());
    }

    private SessionSpec spec(List<String> argv, boolean stdin, Optional<Duration> timeout) {
        return new SessionSpec(
                mint(),
                argv.stream().map(GuestContract::bytes).toList(),
                List.of(),
                new byte[0],
                "",
                Optional.empty(),
                stdin,
                true,
                timeout,
                false,
                "");
    }

    private String mint() {
        return "s_%016d".formatted(sessions++);
    }

    private static GuestPath path(String path) {
        return new GuestPath(bytes(path), "");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    private static void assertFails(ErrorCode code, ThrowingCallable call) {
        Throwable failure = catchThrowable(call);
        assertThat(failure).isInstanceOf(CortexException.class);
        assertThat(((CortexException) failure).code()).as(failure.toString()).isEqualTo(code);
    }
}
