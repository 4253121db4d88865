package dev.cortex.protocol.api;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Records of the image operations. */
public final class Images {
    private Images() {}

    /**
     * Takes an image into the home: an OCI image layout (a folder, or a tar of one), an archive of {@code docker save} or
     * {@code podman save}, or a tar of a root file system; each archive plain or compressed by gzip or zstd.
     *
     * @param path absolute, on the daemon's machine
     * @param name {@code name[:tag]} for it; absent: those that the source has
     * @param select the name or digest of one image, where the source has several
     * @param config what a plain root file system's sessions begin with
     * @param progressKey chosen by the caller, to find this import in {@code image.imports}
     */
    public record Import(
            String path,
            Optional<String> name,
            Optional<String> select,
            Optional<Config> config,
            Optional<String> progressKey) {}

    /**
     * What an image says of its processes.
     *
     * @param env base environment
     * @param workdir where they begin, absolute
     * @param user a name or number, and perhaps {@code :group}
     * @param entrypoint what every command of {@code run} is handed to
     * @param command what runs where nobody names a command
     * @param labels for people
     */
    public record Config(
            Map<String, String> env,
            Optional<String> workdir,
            Optional<String> user,
            List<String> entrypoint,
            List<String> command,
            Map<String, String> labels) {
        public Config {
            env = Map.copyOf(env);
            entrypoint = List.copyOf(entrypoint);
            command = List.copyOf(command);
            labels = Map.copyOf(labels);
        }
    }

    /**
     * An image of the home.
     *
     * @param digest {@code sha256:…} of its configuration, which docker and podman show as the image's id
     * @param manifestDigest by which a registry knows it; absent where it came without a manifest
     * @param kind what it came as: {@code oci}, {@code docker} or {@code root}
     * @param bytes of its files; layers that other images have too are stored once and counted in each
     * @param layers the lowest first
     * @param createdAt when its builder says that it was made
     * @param usedBy sandboxes, and disks that are kept without one
     */
    public record Image(
            String digest,
            Optional<String> manifestDigest,
            List<String> names,
            String kind,
            String platform,
            Config config,
            long bytes,
            List<Layer> layers,
            Optional<Instant> createdAt,
            Instant importedAt,
            List<String> usedBy) {}

    /** @param digest of its tar */
    public record Layer(String digest, long bytes) {}

    /** @param next continue behind this digest; absent at the end */
    public record ImageList(List<Image> images, Optional<String> next) {}

    /** @param imageRemoved false when it has other names left, and only this one is gone */
    public record Removed(String image, boolean imageRemoved) {}

    /** Imports that go on. */
    public record Imports(List<Going> imports) {}

    /**
     * @param key the caller's
     * @param doing {@code reading} or {@code unpacking}
     * @param done bytes of the source
     * @param total bytes of the source, 0 while nobody knows
     */
    public record Going(String key, String source, String doing, long done, long total) {}
}
