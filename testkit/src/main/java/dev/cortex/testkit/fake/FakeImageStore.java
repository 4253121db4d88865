package dev.cortex.testkit.fake;

import dev.cortex.sandbox.image.ImageRow;
import dev.cortex.sandbox.image.ImageStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Records of images in memory, by the rules of the contract. */
public final class FakeImageStore implements ImageStore {
    private final Map<String, ImageRow> images = new TreeMap<>();
    private final Map<String, String> names = new TreeMap<>();
    private final Map<String, List<String>> users = new TreeMap<>();

    /** Somebody uses an image from now on. */
    public synchronized void use(String digest, String user) {
        users.computeIfAbsent(digest, _ -> new ArrayList<>()).add(user);
    }

    /** Nobody uses it any more. */
    public synchronized void leave(String digest) {
        users.remove(digest);
    }

    @Override
    public synchronized void save(ImageRow image, List<String> newNames) {
        images.merge(image.digest(), image, FakeImageStore::merged);
        newNames.forEach(name -> names.put(name, image.digest()));
    }

    private static ImageRow merged(ImageRow earlier, ImageRow now) {
        Set<String> archives = new TreeSet<>(earlier.archives());
        archives.addAll(now.archives());
        return new ImageRow(
                now.digest(),
                now.manifest().or(earlier::manifest),
                now.kind(),
                now.platform(),
                now.config(),
                now.labels(),
                now.created(),
                earlier.imported(),
                List.copyOf(archives),
                now.layers());
    }

    @Override
    public synchronized Optional<ImageRow> named(String name) {
        return Optional.ofNullable(names.get(name)).map(images::get);
    }

    @Override
    public synchronized List<ImageRow> byDigest(String beginning) {
        return images.values().stream()
                .filter(image -> Stream.concat(Stream.of(image.digest()), image.manifest().stream())
                        .anyMatch(digest -> digest.startsWith(beginning)))
                .toList();
    }

    @Override
    public synchronized Optional<ImageRow> byArchive(String sha256) {
        return images.values().stream()
                .filter(image -> image.archives().contains(sha256))
                .findFirst();
    }

    @Override
    public synchronized List<Entry> list(String after, int most) {
        return images.values().stream()
                .filter(image -> image.digest().compareTo(after) > 0)
                .limit(most)
                .map(this::entry)
                .toList();
    }

    @Override
    public synchronized Optional<Entry> entry(String digest) {
        return Optional.ofNullable(images.get(digest)).map(this::entry);
    }

    private Entry entry(ImageRow image) {
        List<String> its = names.entrySet().stream()
                .filter(name -> name.getValue().equals(image.digest()))
                .map(Map.Entry::getKey)
                .toList();
        return new Entry(image, its, users.getOrDefault(image.digest(), List.of()));
    }

    @Override
    public synchronized boolean forgetName(String name) {
        return names.remove(name) != null;
    }

    @Override
    public synchronized List<String> removeUnused(String digest) {
        List<String> its = users.getOrDefault(digest, List.of());
        if (its.isEmpty()) {
            images.remove(digest);
            names.values().removeIf(digest::equals);
        }
        return its;
    }

    @Override
    public synchronized boolean removeUnneeded(String digest) {
        return users.getOrDefault(digest, List.of()).isEmpty()
                && !names.containsValue(digest)
                && images.remove(digest) != null;
    }

    @Override
    public synchronized Set<String> chains() {
        return images.values().stream()
                .flatMap(image -> image.layers().stream())
                .map(ImageRow.Layer::chain)
                .collect(Collectors.toSet());
    }
}
