package dev.cortex.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The bytes that the Go tests read too: whoever changes one side alone fails here or there. */
final class WireGoldenTest {
    private static final JsonNode GOLDEN = golden();

    @TestFactory
    Stream<DynamicTest> everyGoldenHelloIsWrittenAndReadAsItsFieldsSay() {
        return entries("hello")
                .map(entry -> named(entry, () -> {
                    Hello hello = new Hello(
                            entry.get("lowest").asInt(),
                            entry.get("highest").asInt(),
                            Hello.Purpose.valueOf(upper(entry, "purpose")),
                            HexFormat.of().parseHex(text(entry, "token")));
                    assertThat(hello.encode()).isEqualTo(ByteBuffer.wrap(bytes(entry)));
                    assertThat(Hello.decode(ByteBuffer.wrap(bytes(entry)))).isEqualTo(hello);
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyGoldenAnswerToAHelloIsWrittenAndRead() {
        return entries("hello_ack")
                .map(entry -> named(entry, () -> {
                    HelloAck ack = new HelloAck(
                            entry.get("version").asInt(),
                            HelloAck.Status.values()[entry.get("status").asInt()]);
                    assertThat(ack.encode()).isEqualTo(ByteBuffer.wrap(bytes(entry)));
                    assertThat(HelloAck.decode(ByteBuffer.wrap(bytes(entry)))).isEqualTo(ack);
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyBadHelloIsRefused() {
        return entries("hello_bad")
                .map(entry -> named(
                        entry,
                        () -> assertThatThrownBy(() -> Hello.decode(ByteBuffer.wrap(bytes(entry))))
                                .isInstanceOf(FrameException.class)));
    }

    @TestFactory
    Stream<DynamicTest> everyGoldenFrameIsReadAsItsFieldsSay() {
        return entries("frames")
                .map(entry -> named(entry, () -> {
                    try (FrameChannel channel = over(bytes(entry))) {
                        assertThat(channel.read()).contains(frame(entry));
                        assertThat(channel.read()).isEmpty();
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyGoldenFrameIsWrittenByteForByte() {
        return entries("frames")
                .map(entry -> named(entry, () -> {
                    MemoryStream stream = new MemoryStream(new byte[0], Integer.MAX_VALUE);
                    try (FrameChannel channel = FrameChannels.over(stream)) {
                        channel.write(frame(entry));
                    }
                    assertThat(stream.written()).isEqualTo(bytes(entry));
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyBadFrameEndsTheStreamWithAFrameException() {
        return entries("frames_bad")
                .map(entry -> named(entry, () -> {
                    try (FrameChannel channel = over(bytes(entry))) {
                        assertThatThrownBy(channel::read).isInstanceOf(FrameException.class);
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyGoldenChangeIsReadAsItsFieldsSay() {
        return entries("changes")
                .map(entry -> named(entry, () -> {
                    byte[] twice = Arrays.copyOf(bytes(entry), 2 * bytes(entry).length);
                    System.arraycopy(twice, 0, twice, twice.length / 2, twice.length / 2);
                    assertThat(Change.decodeAll(ByteBuffer.wrap(twice)))
                            .hasSize(2)
                            .allSatisfy(change -> {
                                assertThat(change.kind()).isEqualTo(Change.Kind.valueOf(upper(entry, "kind")));
                                assertThat(change.folder())
                                        .isEqualTo(entry.get("folder").asBoolean());
                                assertThat(change.path())
                                        .isEqualTo(HexFormat.of().parseHex(text(entry, "path")));
                                assertThat(change.from())
                                        .isEqualTo(HexFormat.of().parseHex(text(entry, "from")));
                            });
                }));
    }

    @TestFactory
    Stream<DynamicTest> everyBadChangeIsRefused() {
        return entries("changes_bad")
                .map(entry -> named(
                        entry,
                        () -> assertThatThrownBy(() -> Change.decodeAll(ByteBuffer.wrap(bytes(entry))))
                                .isInstanceOf(FrameException.class)));
    }

    private static FrameChannel over(byte[] bytes) {
        return FrameChannels.over(new MemoryStream(bytes, Integer.MAX_VALUE));
    }

    private static Frame frame(JsonNode entry) {
        return switch (text(entry, "type")) {
            case "Handshake" ->
                new Frame.Handshake(
                        Frame.Kind.valueOf(upper(entry, "kind")),
                        Frame.Mode.valueOf(upper(entry, "mode")),
                        u64(entry, "cursor"),
                        text(entry, "id"));
            case "HandshakeAck" ->
                new Frame.HandshakeAck(
                        text(entry, "state").equals("alive"),
                        u64(entry, "oldest"),
                        u64(entry, "newest"),
                        u64(entry, "stdin_accepted"));
            case "Data" -> new Frame.Data(Frame.Tag.valueOf(upper(entry, "tag")), body(entry));
            case "Winsize" ->
                new Frame.Winsize(
                        entry.get("rows").asInt(),
                        entry.get("columns").asInt(),
                        entry.get("x_pixels").asInt(),
                        entry.get("y_pixels").asInt());
            case "StdinClose" -> new Frame.StdinClose();
            case "Exit" ->
                new Frame.Exit(entry.get("cause").asInt(), entry.get("code").asInt());
            case "Gap" -> new Frame.Gap(u64(entry, "cursor"));
            case "Error" -> new Frame.Error(text(entry, "code"), text(entry, "message"));
            case "Eof" -> new Frame.Eof();
            case "Event" ->
                new Frame.Event(u64(entry, "number"), entry.get("detail").asInt(), body(entry));
            case "Answer" ->
                new Frame.Answer(u64(entry, "number"), entry.get("detail").asInt(), body(entry));
            default -> throw new AssertionError("a golden frame of an unknown type: " + entry);
        };
    }

    private static ByteBuffer body(JsonNode entry) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(text(entry, "bytes")));
    }

    private static long u64(JsonNode entry, String field) {
        return Long.parseUnsignedLong(text(entry, field));
    }

    private static String upper(JsonNode entry, String field) {
        return text(entry, field).toUpperCase(Locale.ROOT);
    }

    private static String text(JsonNode entry, String field) {
        return entry.get(field).asString();
    }

    private static byte[] bytes(JsonNode entry) {
        byte[] start = HexFormat.of().parseHex(text(entry, "hex"));
        return Arrays.copyOf(start, start.length + entry.path("zeros_behind").asInt(0));
    }

    private static Stream<JsonNode> entries(String group) {
        return GOLDEN.get(group).valueStream();
    }

    private static DynamicTest named(JsonNode entry, org.junit.jupiter.api.function.Executable test) {
        String name = entry.has("name") ? text(entry, "name") : text(entry, "type");
        return DynamicTest.dynamicTest(name, test);
    }

    private static JsonNode golden() {
        try (InputStream file = Hello.class.getResourceAsStream("/dev/cortex/protocol/golden/wire.json")) {
            return JsonMapper.shared().readTree(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
