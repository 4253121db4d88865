package dev.cortex.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import dev.cortex.testkit.fake.FakeImageStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/** The importer is the launcher's part; here one stands in that commits what a test wants. */
final class ImagesTest {
    private static final String CONFIG = """
            {"os":"linux","architecture":"amd64","config":{"Env":["A=b=c","PATH=/bin"],"WorkingDir":"srv","User":"7:8",\
            "Entrypoint":["/entry"],"Cmd":["serve"],"Labels":{"made":"here"}}}""";

    @TempDir
    private Path folder;

    private Path archive;
    private Consumer<Path> content = staging -> {};
    private List<String> layers = List.of("one", "two");
    private List<String> namesInside = List.of();
    private final AtomicInteger taken = new AtomicInteger();
    private final FakeImageStore store = new FakeImageStore();
    private Images images;

    private final ImageImporter importer = new ImageImporter() {
        @Override
        public Taken take(Request request, Consumer<Progress> progress) {
            taken.incrementAndGet();
            progress.accept(new Progress("unpacking", 1, 2));
            content.accept(request.staging());
            for (String layer : layers) {
                Path target = request.layers().resolve(layer);
                makeFolder(target.resolve("root"));
                write(target.resolve("complete"), "{\"bytes\": 5}");
            }
            return new Taken(
                    "oci",
                    "sha256:" + sha256(request.source()),
                    Optional.empty(),
                    namesInside,
                    CONFIG,
                    layers.stream()
                            .map(layer -> new Layer(layer, "sha256:" + layer, 5))
                            .toList());
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
    void makeArchive() {
        archive = folder.resolve("root.tar");
        write(archive, "bytes of an archive");
        images = open();
    }

    private Images open() {
        return new Images(folder.resolve("images"), importer, store, Clock.systemUTC());
    }

    private static void write(Path file, String text) {
        try {
            makeFolder(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String importAs(String name, Path source) {
        return library()
                .take(new ImageLibrary.Source(
                        source,
                        Optional.of(name).filter(text -> !text.isEmpty()).map(ImageName::of),
                        Optional.empty(),
                        Optional.empty(),
                        ""))
                .image()
                .digest();
    }

    private ImageLibrary library() {
        return images.library();
    }

    /** An archive that is another image than the others. */
    private Path other(String text) {
        write(folder.resolve(text), text);
        return folder.resolve(text);
    }

    private List<String> folders() {
        try (Stream<Path> all = Files.walk(folder.resolve("images"), 2)) {
            return all.filter(path -> path.getNameCount() == folder.getNameCount() + 3 || isBegun(path))
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                // One of them went while they were walked through.
                return folders();
            }
            throw e;
        }
    }

    private static boolean isBegun(Path path) {
        return path.getFileName().toString().startsWith(".");
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
    void anArchiveIsTakenOnceAndFoundByItsDigest() {
        Image first = images.resolve(archive.toString());
        Image again = images.resolve(archive.toString());
        Image byDigest = images.resolve(first.digest().orElseThrow());
        Image afterRestart = open().resolve(archive.toString());
        assertThat(taken).hasValue(1);
        assertThat(List.of(again.root(), byDigest.root(), afterRestart.root())).containsOnly(first.root());
        assertThat(library().list("", 9))
                .singleElement()
                .satisfies(entry -> assertThat(entry.names()).isEmpty());
    }

    @Test
    void theTopmostLayerComesFirst() {
        Path in = folder.resolve("images/layers");
        assertThat(images.resolve(archive.toString()).root())
                .isEqualTo(new Image.Root.Layers(List.of(in.resolve("two/root"), in.resolve("one/root"))));
    }

    @Test
    void whatAnImageSaysOfItsProcessesIsRead() {
        importAs("app", archive);
        Image.Config config = images.resolve("app").config();
        assertThat(config.environment()).containsExactly(Map.entry("A", "b=c"), Map.entry("PATH", "/bin"));
        assertThat(config.workdir()).contains("/srv");
        assertThat(config.user()).contains("7:8");
        assertThat(config.entrypoint()).containsExactly("/entry");
        assertThat(config.command()).containsExactly("serve");
    }

    @Test
    void aNameInAnySpellingMeansTheImage() {
        String digest = importAs("docker.io/library/app:latest", archive);
        for (String spelling : List.of(
                "app",
                "app:latest",
                "docker.io/library/app",
                "app@" + digest,
                "other@" + digest,
                digest,
                digest.substring(0, 15),
                digest.substring(7, 21))) {
            assertThat(images.resolve(spelling).digest()).as(spelling).contains(digest);
        }
        assertThat(images.resolve("app:latest").reference()).isEqualTo("app");
        assertThat(images.resolve("app@" + digest).reference()).isEqualTo("app");
        assertThat(images.resolve(digest).reference()).isEqualTo("app");
        assertThat(refusal("app:2").code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(refusal("app@sha256:" + "0".repeat(64)).code()).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void noNameMeansWhatItDidNotMean() {
        for (String name : List.of("host", "host:latest", "host:1", "sha256", "", "/app", "./app", "A", "a b", "a\0")) {
            assertThat(catchThrowableOfType(CortexException.class, () -> ImageName.of(name))
                            .code())
                    .as(name)
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(ImageName.of("localhost:5000/team/app:1.2").text()).isEqualTo("localhost:5000/team/app:1.2");
    }

    @Test
    void withoutANameThoseOfTheArchiveHold() {
        namesInside = List.of("docker.io/library/app:1", "latest", "No Name!");
        importAs("", archive);
        assertThat(library().list("", 9).getFirst().names()).containsExactly("app:1");
    }

    @Test
    void aSandboxKeepsItsImageWhenTheNameMovesOn() {
        String old = importAs("app", archive);
        String young = importAs("app", other("newer"));
        assertThat(images.resolve("app").digest()).contains(young);
        assertThat(images.again("app", old).digest()).contains(old);
    }

    @Test
    void anImageInUseIsNotRemovedAndSaysByWhom() {
        String digest = importAs("app", archive);
        store.use(digest, "api");
        CortexException error =
                catchThrowableOfType(CortexException.class, () -> library().remove("app"));
        assertThat(error.code()).isEqualTo(ErrorCode.BUSY);
        assertThat(error).hasMessageContaining("api");
        assertThat(images.resolve("app").digest()).contains(digest);
    }

    @Test
    void ofSeveralNamesOneGoesAndWithTheLastTheImageWithItsLayers() {
        importAs("app", archive);
        importAs("app:2", archive);
        assertThat(library().remove("app:2")).isFalse();
        assertThat(folders()).containsExactly("one", "two");
        assertThat(library().remove("app")).isTrue();
        assertThat(folders()).isEmpty();
        assertThat(refusal("app").code()).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void layersThatAnotherImageHasStay() {
        importAs("app", archive);
        layers = List.of("one", "three");
        importAs("other", other("other"));
        library().remove("app");
        assertThat(folders()).containsExactly("one", "three");
        assertThat(images.resolve("other").root()).isInstanceOf(Image.Root.Layers.class);
    }

    @Test
    void nothingIsSweptWhileAnImportGoesOn() {
        importAs("app", archive);
        layers = List.of("one", "three");
        content = staging -> library().remove("app");
        importAs("other", other("other"));
        assertThat(images.resolve("other").digest()).isPresent();
        assertThat(library().unusedLayers()).containsExactly(Map.entry("two", 5L));
        library().sweep();
        assertThat(folders()).containsExactly("one", "three");
    }

    @Test
    void anImportThatGoesOnTellsHowFarItIs() {
        content = staging -> assertThat(library().imports())
                .singleElement()
                .satisfies(
                        going -> assertThat(going.progress()).isEqualTo(new ImageImporter.Progress("unpacking", 1, 2)));
        importAs("app", archive);
        assertThat(library().imports()).isEmpty();
    }

    @Test
    void whatIsUnnamedAndUnusedIsToldForPruning() {
        String unnamed = images.resolve(archive.toString()).digest().orElseThrow();
        importAs("app", other("named"));
        String used = images.resolve(other("used").toString()).digest().orElseThrow();
        store.use(used, "api");
        assertThat(library().unused())
                .extracting(entry -> entry.image().digest())
                .containsExactly(unnamed);
    }

    @Test
    void onlyWhatIsStillUnnamedAndUnusedIsRemovedAndItsLayersWithTheNextSweep() {
        importAs("app", archive);
        layers = List.of("one", "three");
        String gone = images.resolve(other("gone").toString()).digest().orElseThrow();
        layers = List.of("one", "four");
        String used = images.resolve(other("used").toString()).digest().orElseThrow();
        List<String> found =
                library().unused().stream().map(entry -> entry.image().digest()).toList();
        assertThat(found).containsExactlyInAnyOrder(gone, used);
        store.use(used, "api");
        assertThat(library().removeUnused(found)).containsExactly(gone);
        assertThat(library().unusedLayers()).containsExactly(Map.entry("three", 5L));
        assertThat(library().sweep()).containsExactly("three");
        assertThat(folders()).containsExactly("four", "one", "two");
    }

    @Test
    void noLayerIsToldForPruningWhileAnImportGoesOn() {
        content = staging -> {
            makeFolder(folder.resolve("images/layers/one/root"));
            assertThat(library().unusedLayers()).isEmpty();
            assertThat(library().sweep()).isEmpty();
        };
        importAs("app", archive);
        assertThat(folders()).containsExactly("one", "two");
    }

    @Test
    void anInterruptedImportLeavesNothing() {
        content = staging -> {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "cancelled", "");
        };
        try {
            CortexException error = catchThrowableOfType(CortexException.class, () -> importAs("app", archive));
            assertThat(error.code()).isEqualTo(ErrorCode.CANCELLED);
            assertThat(Thread.interrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
        assertThat(folders()).isEmpty();
        assertThat(library().imports()).isEmpty();
    }

    @Test
    void anArchiveThatChangesMeanwhileIsRefused() {
        content = staging -> write(archive, "other bytes, and more of them");
        assertThat(refusal(archive.toString()).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(folders()).isEmpty();
    }

    @Test
    void layersThatAreGoneAreToldBeforeAnythingStarts() throws IOException {
        importAs("app", archive);
        Files.delete(folder.resolve("images/layers/two/complete"));
        assertThat(refusal("app")).hasMessageContaining("layers of the image app are gone");
    }

    @Test
    void concurrentRequestsForOneArchiveShareTheWork() throws Exception {
        content = staging -> pause();
        Callable<Image> request = () -> images.resolve(archive.toString());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Image>> answers = threads.invokeAll(
                    IntStream.range(0, 16).mapToObj(i -> request).toList());
            for (Future<Image> answer : answers) {
                assertThat(answer.get().digest()).isPresent();
            }
        }
        assertThat(taken).hasValue(1);
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anErrorOfTheImporterReachesTheCallerAndTheNextRequestTriesAgain() {
        content = staging -> {
            makeFolder(staging.resolve("layer-0/root"));
            throw CortexException.of(ErrorCode.INVALID_ARGUMENT, "../etc/passwd leads out", "");
        };
        assertThat(refusal(archive.toString())).hasMessage("../etc/passwd leads out");
        assertThat(folders()).isEmpty();
        content = staging -> {};
        assertThat(images.resolve(archive.toString()).digest()).isPresent();
    }

    @Test
    void whatAKilledRunHadNotFinishedGoesAndItsWholeLayersServeTheNext() throws Exception {
        makeFolder(folder.resolve("images/.begun-77/layer-0/root"));
        makeFolder(folder.resolve("images/layers/one/root"));
        write(folder.resolve("images/layers/one/complete"), "{}");
        images = open();
        for (int i = 0; i < 500 && folders().contains(".begun-77"); i++) {
            pause();
        }
        assertThat(folders()).containsExactly("one");
    }
}
