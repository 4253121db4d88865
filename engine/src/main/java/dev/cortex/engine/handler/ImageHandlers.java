package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.images.ImageLibrary;
import dev.cortex.images.ImageName;
import dev.cortex.protocol.api.Images;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.image.ImageStore.Entry;
import dev.cortex.sandbox.service.Spares;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/** Images of the home: import, list, inspect, remove. */
final class ImageHandlers {
    private static final int PAGE = 1_000;
    private static final int KEY_CHARACTERS = 255;

    /** What stays free of the disk while an archive is received. */
    private static final long RESERVE = 256L << 20;

    private static final int RESERVE_SHARE = 20;
    private static final int BUFFER = 1 << 18;

    private final ImageLibrary images;
    private final Spares spares;

    ImageHandlers(ImageLibrary images, Spares spares) {
        this.images = images;
        this.spares = spares;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.IMAGE_IMPORT, (Handler.Json<Images.Import, Images.Image>) this::take);
        handlers.put(Operations.IMAGE_UPLOAD, (Handler.Upload<Images.Image>) this::receive);
        handlers.put(Operations.IMAGE_LIST, (Handler.Json<Void, Images.ImageList>) this::list);
        handlers.put(
                Operations.IMAGE_INSPECT, (Handler.Json<Void, Images.Image>) call -> view(images.require(image(call))));
        handlers.put(Operations.IMAGE_REMOVE, (Handler.Json<Void, Images.Removed>) this::remove);
        handlers.put(Operations.IMAGE_IMPORTS, (Handler.Json<Void, Images.Imports>) this::imports);
    }

    private Images.Image take(Call<Images.Import> call) {
        Images.Import request = call.request();
        return view(images.take(new ImageLibrary.Source(
                path(request.path()),
                request.name().map(ImageName::of),
                request.select(),
                request.config().map(ImageHandlers::settings),
                key(request.progressKey()))));
    }

    private static Path path(String text) {
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path.toRealPath();
            }
        } catch (InvalidPathException e) {
            throw Parameters.wrong("path", "a path").because(e);
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.NOT_FOUND,
                            "there is no " + text + " on the daemon's machine",
                            "give a file or folder of that machine, or send the archive: image.upload")
                    .because(e);
        }
        throw Parameters.wrong("path", "absolute");
    }

    /** The object that an OCI configuration calls {@code config}. */
    private static String settings(Images.Config config) {
        Map<String, Object> settings = new TreeMap<>();
        if (!config.env().isEmpty()) {
            settings.put(
                    "Env",
                    new TreeMap<>(config.env())
                            .entrySet().stream()
                                    .map(pair -> pair.getKey() + "=" + pair.getValue())
                                    .toList());
        }
        config.workdir().ifPresent(workdir -> settings.put("WorkingDir", workdir));
        config.user().ifPresent(user -> settings.put("User", user));
        if (!config.entrypoint().isEmpty()) {
            settings.put("Entrypoint", config.entrypoint());
        }
        if (!config.command().isEmpty()) {
            settings.put("Cmd", config.command());
        }
        if (!config.labels().isEmpty()) {
            settings.put("Labels", new TreeMap<>(config.labels()));
        }
        return JsonMapper.shared().writeValueAsString(settings);
    }

    private static String key(Optional<String> key) {
        if (key.orElse("").length() > KEY_CHARACTERS) {
            throw Parameters.wrong("progress_key", "at most " + KEY_CHARACTERS + " characters");
        }
        return key.orElse("");
    }

    /** The archive lies in the home until it has been read: an image's parts are not read in their order. */
    private Images.Image receive(Call<Void> call, ReadableByteChannel from) {
        Parameters parameters = new Parameters(call);
        Optional<ImageName> name = parameters.text("name").map(ImageName::of);
        try {
            Path folder = images.receiving();
            Path archive = folder.resolve("archive");
            try {
                write(from, archive);
                return view(images.take(new ImageLibrary.Source(
                        archive, name, parameters.text("select"), parameters.text("config"), "")));
            } finally {
                Files.deleteIfExists(archive);
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.INVALID_ARGUMENT,
                            "the archive did not arrive",
                            "send it again; nothing of it was kept")
                    .because(e);
        }
    }

    private static void write(ReadableByteChannel from, Path to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try (FileChannel file = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (from.read(buffer) >= 0 || buffer.position() > 0) {
                requireRoom(to);
                buffer.flip();
                file.write(buffer);
                buffer.compact();
            }
        }
    }

    /** By statfs alone: a file store of Java's is looked up among all mounts, of which a busy machine has thousands. */
    private static void requireRoom(Path at) {
        File file = at.toFile();
        if (file.getUsableSpace() < Math.min(RESERVE, file.getTotalSpace() / RESERVE_SHARE)) {
            throw CortexException.of(
                    ErrorCode.DISK_FULL,
                    "the archive is larger than what is free on the home's disk",
                    "free some space, or import it on the daemon's machine by its path");
        }
    }

    private Images.ImageList list(Call<Void> call) {
        Parameters parameters = new Parameters(call);
        int most = (int) parameters.number("most", PAGE, 1, PAGE);
        // One more than shown tells whether another page follows.
        List<Entry> entries = images.list(parameters.text("after").orElse(""), most + 1);
        List<Entry> page = entries.size() > most ? entries.subList(0, most) : entries;
        return new Images.ImageList(
                page.stream().map(ImageHandlers::view).toList(),
                entries.size() > most ? Optional.of(page.getLast().image().digest()) : Optional.empty());
    }

    private Images.Removed remove(Call<Void> call) {
        String image = image(call);
        // They use it, and nobody could remove them.
        spares.leave(images.require(image).image().digest());
        return new Images.Removed(image, images.remove(image));
    }

    private Images.Imports imports(Call<Void> call) {
        return new Images.Imports(images.imports().stream()
                .map(each -> new Images.Going(
                        each.key(),
                        each.source(),
                        each.progress().doing(),
                        each.progress().done(),
                        each.progress().total()))
                .toList());
    }

    private static String image(Call<Void> call) {
        return new Parameters(call)
                .text("image")
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> Parameters.wrong("image", "given: a name or a digest"));
    }

    private static Images.Image view(Entry entry) {
        var image = entry.image();
        var config = image.config();
        return new Images.Image(
                image.digest(),
                image.manifest(),
                entry.names(),
                image.kind(),
                image.platform(),
                new Images.Config(
                        config.environment(),
                        config.workdir(),
                        config.user(),
                        config.entrypoint(),
                        config.command(),
                        image.labels()),
                image.bytes(),
                image.layers().stream()
                        .map(layer -> new Images.Layer(layer.diffId(), layer.bytes()))
                        .toList(),
                image.created(),
                image.imported(),
                entry.users());
    }
}
