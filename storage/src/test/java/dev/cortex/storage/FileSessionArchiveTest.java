package dev.cortex.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cortex.protocol.wire.Frame.Tag;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.store.SessionArchive;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FileSessionArchiveTest {
    private static final String ID = "s_0123456789abcdef";

    private final SessionArchive archive = new FileSessionArchive(new SpaceReserve(Path.of("/nonexistent/reserve")));

    @TempDir
    private Path folder;

    @Test
    void thereIsNothingAtFirst() throws IOException {
        assertThat(archive.sessions(folder)).isEmpty();
        assertThat(output(ID)).isEmpty();
    }

    @Test
    void whatTwoThreadsSaveAtOnceIsAllThere() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            int first = writer * 50;
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = first; i < first + 50; i++) {
                    saveOne(String.format("s_%016d", i));
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(archive.sessions(folder)).hasSize(200);
    }

    private void saveOne(String id) {
        try {
            archive.save(folder, List.of(status(id, 1)));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void outputComesBackInOrderWithItsStreams() throws IOException {
        try (var out = archive.write(folder, ID)) {
            out.append(Tag.STDOUT, ByteBuffer.wrap(new byte[] {1, (byte) 0xff}));
            out.append(Tag.STDERR, ByteBuffer.wrap(new byte[0]));
            out.append(Tag.STDOUT, ByteBuffer.wrap("x".getBytes(StandardCharsets.UTF_8)));
        }
        assertThat(output(ID)).containsExactly("STDOUT 01ff", "STDERR ", "STDOUT 78");
    }

    /** A bit that flipped, or bytes of another file: lengths and streams that no record has. */
    @ParameterizedTest
    @ValueSource(strings = {"01ffffffff78", "017fffffff78", "011000000178", "090000000178", "0100000002"})
    void whatIsWholeBeforeADamagedRecordIsShown(String damaged) throws IOException {
        try (var out = archive.write(folder, ID)) {
            out.append(Tag.STDOUT, ByteBuffer.wrap(new byte[] {7}));
        }
        Path file = folder.resolve("sessions").resolve(ID + ".out");
        Files.write(file, HexFormat.of().parseHex(damaged), StandardOpenOption.APPEND);
        assertThat(output(ID)).containsExactly("STDOUT 07");
    }

    @Test
    void statusesOfLaterRunsJoinTheEarlierOnes() throws IOException {
        archive.save(folder, List.of(status(ID, 1)));
        archive.save(folder, List.of(status("s_1123456789abcdef", 2)));
        assertThat(archive.sessions(folder)).extracting(SessionStatus::id).containsExactly(ID, "s_1123456789abcdef");
        assertThat(archive.session(folder, ID).orElseThrow().argv().getFirst()).containsExactly('l', 's');
    }

    @Test
    void onlyTheLastThousandStay() throws IOException {
        try (var out = archive.write(folder, id(0))) {
            out.append(Tag.STDOUT, ByteBuffer.wrap(new byte[9]));
        }
        archive.save(
                folder,
                IntStream.range(0, 1_005).mapToObj(i -> status(id(i), i)).toList());
        assertThat(archive.sessions(folder))
                .hasSize(1_000)
                .first()
                .extracting(SessionStatus::id)
                .isEqualTo(id(5));
        assertThat(output(id(0))).isEmpty();
    }

    @Test
    void anIdThatIsNoneNeverBecomesAFileName() throws IOException {
        for (String id : List.of("../../x", "s_0123456789abcde/", "", "s_0123456789ABCDEF")) {
            assertThatThrownBy(() -> archive.write(folder, id)).isInstanceOf(IOException.class);
        }
        assertThat(folder).isEmptyDirectory();
        archive.save(folder, List.of(status("../../x", 1), status(ID, 2)));
        assertThat(archive.sessions(folder)).extracting(SessionStatus::id).containsExactly(ID);
    }

    @Test
    void aFileThatWasCutOffShowsWhatIsWhole() throws IOException {
        try (var out = archive.write(folder, ID)) {
            out.append(Tag.STDOUT, ByteBuffer.wrap(new byte[] {1}));
            out.append(Tag.STDOUT, ByteBuffer.wrap(new byte[] {2, 3}));
        }
        Path file = folder.resolve("sessions/" + ID + ".out");
        byte[] whole = Files.readAllBytes(file);
        for (int length = 6; length < whole.length; length++) {
            Files.write(file, java.util.Arrays.copyOf(whole, length));
            assertThat(output(ID)).containsExactly("STDOUT 01");
        }
    }

    @Test
    void oneSessionCanBeForgotten() throws IOException {
        archive.save(folder, List.of(status(ID, 1), status(id(2), 2)));
        archive.remove(folder, ID);
        assertThat(archive.sessions(folder)).extracting(SessionStatus::id).containsExactly(id(2));
    }

    private List<String> output(String id) throws IOException {
        List<String> records = new ArrayList<>();
        archive.read(folder, id, (tag, bytes) -> {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            records.add(tag + " " + java.util.HexFormat.of().formatHex(copy));
            return true;
        });
        return records;
    }

    private static String id(int i) {
        return "s_%016d".formatted(i);
    }

    private static SessionStatus status(String id, long started) {
        return new SessionStatus(
                id,
                7,
                List.of(new byte[] {'l', 's'}),
                "agent",
                false,
                false,
                "",
                Instant.ofEpochMilli(started),
                Optional.of(Instant.ofEpochMilli(started + 1)),
                Optional.of(SessionStatus.Cause.EXITED),
                0,
                0,
                9,
                false,
                false,
                0,
                0);
    }
}
