package dev.cortex.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** What holds for every frame, however the stream cuts it. */
final class FramePropertiesTest {

    @Property(tries = 300)
    void whatIsWrittenIsReadBackInWhateverPiecesItArrives(
            @ForAll("frames") @Size(max = 12) List<Frame> frames,
            @ForAll @IntRange(min = 1, max = 100_000) int writtenPiece,
            @ForAll @IntRange(min = 1, max = 100_000) int readPiece)
            throws IOException {
        byte[] bytes = write(frames, writtenPiece);
        assertThat(readAll(bytes, readPiece)).isEqualTo(frames);
    }

    @Property(tries = 300)
    void aStreamThatIsCutInsideAFrameEndsWithAFrameException(
            @ForAll("frame") Frame frame, @ForAll @IntRange(min = 1, max = 1_000_000) int cut) throws IOException {
        byte[] bytes = write(List.of(frame), Integer.MAX_VALUE);
        byte[] shorter = Arrays.copyOf(bytes, cut % bytes.length);
        if (shorter.length == 0) {
            assertThat(readAll(shorter, 7)).isEmpty();
        } else {
            assertThatThrownBy(() -> readAll(shorter, 7)).isInstanceOf(FrameException.class);
        }
    }

    @Property(tries = 200)
    void aRelayPassesEveryFrameOnAsItCame(
            @ForAll("fromGuest") @Size(max = 12) List<Frame> frames,
            @ForAll @IntRange(min = 1, max = 300_000) int readPiece,
            @ForAll @IntRange(min = 1, max = 300_000) int writtenPiece)
            throws IOException {
        byte[] bytes = write(frames, Integer.MAX_VALUE);
        MemoryStream target = new MemoryStream(new byte[0], writtenPiece);
        long[] passed = new long[1];
        FrameRelay.End end = FrameRelay.relay(
                FrameChannels.over(new MemoryStream(bytes, readPiece)),
                FrameChannels.over(target),
                FrameRelay.Side.GUEST,
                count -> passed[0] += count);
        assertThat(end).isEqualTo(FrameRelay.End.CLOSED);
        assertThat(target.written()).isEqualTo(bytes);
        assertThat(passed[0]).isEqualTo(bytes.length);
    }

    @Property(tries = 2_000)
    void randomBytesAreFramesOrAFrameExceptionAndNothingElse(
            @ForAll @Size(max = 400) byte[] bytes, @ForAll @IntRange(min = 1, max = 64) int piece) throws IOException {
        try {
            readAll(bytes, piece);
        } catch (FrameException refused) {
            assertThat(refused).hasMessageMatching("(?s).+");
        }
    }

    @Property(tries = 2_000)
    void randomPayloadsOfEveryTypeAreAFrameThatIsWrittenBackTheSameOrAFrameException(
            @ForAll @IntRange(max = 12) int type, @ForAll @Size(max = 200) byte[] payload) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(FrameCodec.HEADER_BYTES + payload.length)
                .putInt(payload.length)
                .put((byte) type)
                .put(payload);
        try {
            assertThat(write(readAll(bytes.array(), 1_000), 1_000)).isEqualTo(bytes.array());
        } catch (FrameException refused) {
            assertThat(refused).hasMessageMatching("(?s).+");
        }
    }

    @Provide
    Arbitrary<List<Frame>> frames() {
        return frame().list();
    }

    @Provide
    Arbitrary<List<Frame>> fromGuest() {
        return Arbitraries.oneOf(ack(), data(), gap(), event(), Arbitraries.just(new Frame.Eof()))
                .list();
    }

    @Provide
    Arbitrary<Frame> frame() {
        return Arbitraries.oneOf(
                handshake(),
                ack(),
                data(),
                gap(),
                exit(),
                error(),
                winsize(),
                event(),
                answer(),
                Arbitraries.of(new Frame.StdinClose(), new Frame.Eof()));
    }

    private static Arbitrary<Frame> handshake() {
        return Combinators.combine(
                        Arbitraries.of(Frame.Kind.class),
                        Arbitraries.of(Frame.Mode.class),
                        Arbitraries.longs(),
                        Arbitraries.strings().alpha().numeric().withChars('_').ofMaxLength(128))
                .as(Frame.Handshake::new);
    }

    private static Arbitrary<Frame> ack() {
        return Combinators.combine(
                        Arbitraries.of(true, false), Arbitraries.longs(), Arbitraries.longs(), Arbitraries.longs())
                .as(Frame.HandshakeAck::new);
    }

    private static Arbitrary<Frame> data() {
        Arbitrary<byte[]> bytes = Arbitraries.oneOf(
                Arbitraries.bytes().array(byte[].class).ofMaxSize(200),
                Arbitraries.of(4_200, 65_535, 65_536).map(byte[]::new));
        return Combinators.combine(Arbitraries.of(Frame.Tag.class), bytes.map(ByteBuffer::wrap))
                .as(Frame.Data::new);
    }

    private static Arbitrary<Frame> event() {
        return Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 255), body())
                .as(Frame.Event::new);
    }

    private static Arbitrary<Frame> answer() {
        return Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(0, 255), body())
                .as(Frame.Answer::new);
    }

    private static Arbitrary<ByteBuffer> body() {
        return Arbitraries.oneOf(
                        Arbitraries.bytes().array(byte[].class).ofMaxSize(200),
                        Arbitraries.of(4_200, 16_383, 16_384).map(byte[]::new))
                .map(ByteBuffer::wrap);
    }

    private static Arbitrary<Frame> winsize() {
        Arbitrary<Integer> u16 = Arbitraries.integers().between(0, 65_535);
        return Combinators.combine(u16, u16, u16, u16).as(Frame.Winsize::new);
    }

    private static Arbitrary<Frame> exit() {
        return Combinators.combine(Arbitraries.integers().between(0, 8), Arbitraries.integers())
                .as(Frame.Exit::new);
    }

    private static Arbitrary<Frame> gap() {
        return Arbitraries.longs().map(Frame.Gap::new);
    }

    private static Arbitrary<Frame> error() {
        return Combinators.combine(
                        Arbitraries.strings().alpha().ofMaxLength(64),
                        Arbitraries.strings().withCharRange('\u0000', '\ud7ff').ofMaxLength(1_000))
                .as(Frame.Error::new);
    }

    static byte[] write(List<Frame> frames, int piece) throws IOException {
        MemoryStream stream = new MemoryStream(new byte[0], piece);
        try (FrameChannel channel = FrameChannels.over(stream)) {
            for (Frame frame : frames) {
                channel.write(copy(frame));
            }
        }
        return stream.written();
    }

    private static List<Frame> readAll(byte[] bytes, int piece) throws IOException {
        List<Frame> read = new ArrayList<>();
        try (FrameChannel channel = FrameChannels.over(new MemoryStream(bytes, piece))) {
            for (Optional<Frame> next = channel.read(); next.isPresent(); next = channel.read()) {
                read.add(copy(next.get()));
            }
        }
        return read;
    }

    private static Frame copy(Frame frame) {
        return switch (frame) {
            case Frame.Data data -> new Frame.Data(data.tag(), copy(data.bytes()));
            case Frame.Event event -> new Frame.Event(event.number(), event.kind(), copy(event.body()));
            case Frame.Answer answer -> new Frame.Answer(answer.number(), answer.kind(), copy(answer.body()));
            default -> frame;
        };
    }

    private static ByteBuffer copy(ByteBuffer shared) {
        byte[] bytes = new byte[shared.remaining()];
        shared.duplicate().get(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
