package dev.cortex.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unpacker is the launcher's part; here one stands in that writes what a test wants. */
final class ImagesTest {
    @TempDir
    private Path folder;

    private Path archive;
    private Consumer<Path> content = root -> makeFolder(root.resolve("usr/bin"));
    private final AtomicInteger unpacked = new AtomicInteger();
    private Images images;

    private final ArchiveUnpacker unpacker = new ArchiveUnpacker() {
        @Override
        public String unpack(Path from, Path target) {
            unpacked.incrementAndGet();
            content.accept(target);
            return sha256(from);
        }

        @Override
        public void wipe(Path folder) {
            if (Files.exists(folder)) {
                try (Stream<Path> all = Files.walk(folder)) {
                    all.sorted(Comparator.reverseOrder())
                            .forEach(path -> path.toFile().delete());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    };

    @BeforeEach
    void makeArchive() throws IOException {
        archive = folder.resolve("root.tar");
        Files.writeString(archive, "bytes of an archive");
        images = new Images(folder.resolve("images"), unpacker);
    }

    private static void makeFolder(Path path) {
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha256(Path path) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(path)));
        } catch (IOException | java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private CortexException refusal(String reference) {
        return catchThrowableOfType(CortexException.class, () -> images.resolve(reference));
    }

    @Test
    void anUnknownImageIsToldWithThoseThatThereAre() {
        Image known = images.resolve(archive.toString());
        CortexException error = refusal("debian");
        assertThat(error.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(error.remedy())
                .hasValueSatisfying(remedy -> assertThat(remedy)
                        .contains("host")
                        .contains(known.digest().orElseThrow()));
    }

    @Test
    void aPathThatIsNotAbsoluteOrNotThereIsUnknown() {
        assertThat(refusal("root.tar").code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusal(folder.resolve("none").toString()).code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusal("").code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusal("a\0b").code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusal("sha256:../../etc").code()).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void aFolderIsUsedInPlaceWithoutADigest() {
        makeFolder(folder.resolve("root/usr/bin"));
        Image image = images.resolve(folder.resolve("root").toString());
        assertThat(image.digest()).isEmpty();
        assertThat(image.root()).isEqualTo(new Image.Root.Folder(folder.resolve("root")));
    }

    @Test
    void aFolderThatIsNoRootIsRefused() {
        makeFolder(folder.resolve("odd/music"));
        assertThat(refusal(folder.resolve("odd").toString()).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void theMachinesOwnRootIsRefused() {
        assertThat(refusal("/").code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void anArchiveIsUnpackedOnceAndFoundByItsDigest() {
        Image first = images.resolve(archive.toString());
        Image again = images.resolve(archive.toString());
        Image byDigest = images.resolve(first.digest().orElseThrow());
        Image afterRestart = new Images(folder.resolve("images"), unpacker).resolve(archive.toString());
        assertThat(unpacked).hasValue(1);
        assertThat(List.of(again.root(), byDigest.root(), afterRestart.root())).containsOnly(first.root());
        assertThat(first.digest()).contains("sha256:" + sha256(archive));
    }

    @Test
    void concurrentRequestsForOneArchiveShareTheWork() throws Exception {
        content = root -> {
            makeFolder(root.resolve("bin"));
            pause();
        };
        Callable<Image> request = () -> images.resolve(archive.toString());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Image>> answers = threads.invokeAll(
                    IntStream.range(0, 16).mapToObj(i -> request).toList());
            for (Future<Image> answer : answers) {
                assertThat(answer.get().digest()).isPresent();
            }
        }
        assertThat(unpacked).hasValue(1);
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anArchiveWithoutARootLeavesNothing() {
        content = root -> makeFolder(root.resolve("music"));
        assertThat(refusal(archive.toString()).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(folder.resolve("images")).isEmptyDirectory();
    }

    @Test
    void anErrorOfTheUnpackerReachesTheCallerAndTheNextRequestTriesAgain() {
        content = root -> {
            throw CortexException.of(ErrorCode.INVALID_ARGUMENT, "../etc/passwd leads out", "");
        };
        assertThat(refusal(archive.toString())).hasMessage("../etc/passwd leads out");
        assertThat(folder.resolve("images")).isEmptyDirectory();
        content = root -> makeFolder(root.resolve("bin"));
        assertThat(images.resolve(archive.toString()).digest()).isPresent();
    }

    @Test
    void whatAKilledRunLeftIsNoImage() throws IOException {
        String digest = sha256(archive);
        makeFolder(folder.resolve("images").resolve(digest).resolve("rootfs/bin"));
        makeFolder(folder.resolve("images/." + digest + ".begun/rootfs/old"));
        assertThat(refusal("sha256:" + digest).code()).isEqualTo(ErrorCode.NOT_FOUND);
        Image image = images.resolve(archive.toString());
        assertThat(((Image.Root.Folder) image.root()).path().resolve("usr/bin")).isDirectory();
        assertThat(((Image.Root.Folder) image.root()).path().resolve("old")).doesNotExist();
    }
}
