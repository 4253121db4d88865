package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.image.ImageRow;
import dev.cortex.sandbox.image.ImageStore;
import dev.cortex.sandbox.image.ImageStore.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The images that a home holds: taken in, found by name or digest, shown, removed. Layers lie in {@code layers/<chain>},
 * each once however many images have it. An image is there when its record is, which is written when its last layer is
 * whole. Thread-safe.
 */
public final class ImageLibrary {
    private static final String DIGEST = "sha256:";

    /** A digest is 64 hex digits; the beginning that people copy has twelve. */
    private static final int LEAST_DIGITS = 6;

    private final Layers layers;
    private final ImageImporter importer;
    private final ImageStore store;
    private final Clock clock;
    private final ConcurrentMap<Long, Import> imports = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /** @param folder {@code images/} of the home, for its owner alone */
    ImageLibrary(Path folder, ImageImporter importer, ImageStore store, Clock clock) {
        this.layers = new Layers(folder, importer::wipe, store::chains);
        this.importer = importer;
        this.store = store;
        this.clock = clock;
    }

    /**
     * What is to be taken in.
     *
     * @param path a file or folder of this machine
     * @param name given to it; absent: those that the source has
     * @param config settings of a plain root file system; see {@link ImageImporter.Request}
     * @param key under which its progress is shown; may be empty
     */
    public record Source(
            Path path, Optional<ImageName> name, Optional<String> select, Optional<String> config, String key) {}

    /** An import that goes on. */
    public record Import(String key, String source, ImageImporter.Progress progress) {}

    /**
     * Takes an image in. What fails or is cancelled by an interrupt leaves nothing that was not there before.
     *
     * @throws CortexException INVALID_ARGUMENT saying what is wrong with the image, DISK_FULL, CANCELLED
     */
    public Entry take(Source source) {
        ImageRow row = take(source, Naming.OF_SOURCE, List.of(), () -> {});
        return store.entry(row.digest())
                .orElseThrow(() ->
                        CortexException.of(ErrorCode.NOT_FOUND, "the image was removed at once", "import it again"));
    }

    /**
     * The image that an archive holds, without a name.
     *
     * @param sha256 of the archive
     * @param unchanged throws when that is not so any more, once all has been read
     */
    ImageRow takeArchive(Path archive, String sha256, Runnable unchanged) {
        Source source = new Source(archive, Optional.empty(), Optional.empty(), Optional.empty(), "");
        return take(source, Naming.NONE, List.of(sha256), unchanged);
    }

    private enum Naming {
        OF_SOURCE,
        NONE
    }

    private ImageRow take(Source source, Naming naming, List<String> archives, Runnable unchanged) {
        long number = numbers.incrementAndGet();
        Import begun = new Import(source.key(), source.path().toString(), new ImageImporter.Progress("reading", 0, 0));
        imports.put(number, begun);
        try {
            return layers.adding(staging -> {
                ImageImporter.Taken taken = importer.take(
                        new ImageImporter.Request(
                                source.path(), layers.folder(), staging, source.select(), source.config()),
                        progress -> imports.put(number, new Import(source.key(), begun.source(), progress)));
                unchanged.run();
                ImageRow row = row(taken, archives);
                store.save(row, naming == Naming.NONE ? List.of() : names(source, taken));
                return row;
            });
        } finally {
            imports.remove(number);
        }
    }

    private ImageRow row(ImageImporter.Taken taken, List<String> archives) {
        ImageConfiguration configuration = ImageConfiguration.parse(taken.config());
        return new ImageRow(
                taken.digest(),
                taken.manifest(),
                taken.kind(),
                configuration.platform(),
                configuration.config(),
                configuration.labels(),
                configuration.created(),
                clock.instant().truncatedTo(ChronoUnit.MILLIS),
                archives,
                taken.layers().stream()
                        .map(layer -> new ImageRow.Layer(layer.chain(), layer.diffId(), layer.bytes()))
                        .toList());
    }

    /** A source's reference that is a tag alone, or no name of ours, is passed over. */
    private static List<String> names(Source source, ImageImporter.Taken taken) {
        if (source.name().isPresent()) {
            return List.of(source.name().get().text());
        }
        List<String> names = new ArrayList<>();
        for (String each : taken.names()) {
            ImageName.read(each)
                    .map(ImageName::text)
                    .filter(name -> !name.equals("latest"))
                    .ifPresent(names::add);
        }
        return names;
    }

    /** Imports that go on. */
    public List<Import> imports() {
        return List.copyOf(imports.values());
    }

    /** A page of the images by digest, behind {@code after}. */
    public List<Entry> list(String after, int most) {
        return store.list(after, most);
    }

    /** By name, {@code name@sha256:…}, or the beginning of a digest. */
    public Entry require(String reference) {
        return find(reference).flatMap(image -> store.entry(image.digest())).orElseThrow(() -> unknown(reference));
    }

    Optional<ImageRow> find(String reference) {
        int at = reference.lastIndexOf('@');
        if (at >= 0) {
            return byDigest(reference.substring(at + 1));
        }
        Optional<ImageRow> named = ImageName.read(reference).flatMap(name -> store.named(name.text()));
        return named.isPresent() ? named : byDigest(reference);
    }

    private Optional<ImageRow> byDigest(String text) {
        String digits = text.startsWith(DIGEST) ? text.substring(DIGEST.length()) : text;
        if (digits.length() < LEAST_DIGITS || !digits.matches("[0-9a-f]+")) {
            return Optional.empty();
        }
        List<ImageRow> alike = store.byDigest(DIGEST + digits);
        if (alike.size() > 1) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    "several images begin with " + text,
                    "write more of the digest: cortex image ls --json");
        }
        return alike.stream().findFirst();
    }

    /** The first image of an archive that was taken before. */
    Optional<ImageRow> byArchive(String sha256) {
        return store.byArchive(sha256).filter(image -> layers.have(image));
    }

    /** The image with its root, ready to start from. */
    Image ready(String reference, ImageRow row) {
        if (!layers.have(row)) {
            throw CortexException.of(
                    ErrorCode.NOT_FOUND,
                    "layers of the image " + reference + " are gone from " + layers.folder(),
                    "import it again");
        }
        return new Image(
                reference, Optional.of(row.digest()), new Image.Root.Layers(layers.folders(row)), row.config());
    }

    /** How an image that was asked for by its digest is called: by a name, where it has one. */
    String called(ImageRow row) {
        return store.entry(row.digest())
                .map(Entry::names)
                .filter(names -> !names.isEmpty())
                .map(List::getFirst)
                .orElse(row.digest());
    }

    /**
     * Removes an image, or one of its names where it has several and was called by that.
     *
     * @return whether the image itself is gone
     * @throws CortexException BUSY naming the sandboxes and disks that use it
     */
    public boolean remove(String reference) {
        Entry entry = require(reference);
        Optional<String> name = ImageName.read(reference).map(ImageName::text).filter(entry.names()::contains);
        if (name.isPresent() && entry.names().size() > 1) {
            store.forgetName(name.get());
            return false;
        }
        List<String> users = store.removeUnused(entry.image().digest());
        if (!users.isEmpty()) {
            throw CortexException.of(
                    ErrorCode.BUSY,
                    "the image " + reference + " is in use by " + String.join(", ", users),
                    "remove them first: cortex rm --wipe NAME");
        }
        layers.sweep();
        return true;
    }

    /** Images without a name that nothing uses. */
    public List<Entry> unused() {
        List<Entry> unused = new ArrayList<>();
        String after = "";
        List<Entry> page;
        do {
            page = store.list(after, 1_000);
            page.stream()
                    .filter(entry -> entry.names().isEmpty() && entry.users().isEmpty())
                    .forEach(unused::add);
            after = page.isEmpty() ? "" : page.getLast().image().digest();
        } while (!page.isEmpty());
        return unused;
    }

    /** Removes the images of these digests that still have no name and no user; their layers go with {@link #sweep}. */
    public Set<String> removeUnused(Collection<String> digests) {
        return digests.stream().filter(store::removeUnneeded).collect(Collectors.toSet());
    }

    /**
     * Layers of no image, which a killed import left for the next one; and how many bytes they have. Nothing while an
     * import goes on, which may be about to use them.
     */
    public Map<String, Long> unusedLayers() {
        return layers.unused();
    }

    /**
     * Deletes layers of no image, unless an import goes on, which may be about to use them.
     *
     * @return the chains of those that went
     */
    public Set<String> sweep() {
        return layers.sweep();
    }

    /** A folder for what is being received; the caller deletes it. */
    public Path receiving() throws IOException {
        return Files.createTempDirectory(layers.top(), Layers.BEGUN);
    }

    /** Begins to delete what a killed process had not finished; to be called before anything is imported. */
    void wipeUnfinished() {
        layers.wipeUnfinished();
    }

    CortexException unknown(String reference) {
        List<String> known = new ArrayList<>(List.of("host"));
        for (Entry entry : store.list("", 10)) {
            known.addAll(entry.names().isEmpty() ? List.of(entry.image().digest()) : entry.names());
        }
        return CortexException.of(
                ErrorCode.NOT_FOUND,
                "there is no image " + reference,
                "there are: " + String.join(", ", known.subList(0, Math.min(known.size(), 20)))
                        + "\nimport one: cortex image import FILE --name NAME"
                        + "        or use a folder or archive: --image ./PATH");
    }
}
