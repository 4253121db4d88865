package dev.cortex.sandbox.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A root file system and its configuration.
 *
 * @param reference as it was asked for: {@code host}, a folder, a tar archive
 * @param digest {@code sha256:…}; absent for {@code host} and folders, which are used in place and never mismatch
 */
public record Image(String reference, Optional<String> digest, Root root, Config config) {

    /** Where the root comes from. */
    public sealed interface Root {
        /** A folder that is the whole root. */
        record Folder(Path path) implements Root {}

        /**
         * The machine's own: a small skeleton (etc, empty folders, links into usr) with folders of the machine shown
         * read-only in it.
         *
         * @param skeleton the folder with what is made for sandboxes
         * @param shown folders of the machine, each at the same place inside
         */
        record Host(Path skeleton, List<Path> shown) implements Root {}
    }

    /** What the image says about its processes; empty where it says nothing. */
    public record Config(
            Map<String, String> environment, Optional<String> workdir, Optional<String> user, List<String> command) {
        public static final Config NONE = new Config(Map.of(), Optional.empty(), Optional.empty(), List.of());

        public Config {
            environment = Map.copyOf(environment);
            command = List.copyOf(command);
        }
    }
}
