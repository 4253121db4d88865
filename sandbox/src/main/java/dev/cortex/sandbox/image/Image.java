package dev.cortex.sandbox.image;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A root file system and its configuration.
 *
 * @param reference as it was asked for: {@code host}, a name, a folder, an archive
 * @param digest {@code sha256:…} of its configuration; absent for {@code host} and folders, which are used in place and never mismatch
 */
public record Image(String reference, Optional<String> digest, Root root, Config config) {

    /** Where the root comes from. */
    public sealed interface Root {
        /** A folder that is the whole root. */
        record Folder(Path path) implements Root {}

        /**
         * Folders that make the root when they are laid over each other.
         *
         * @param folders lower layers of an overlay, with its own marks for what one takes away; the topmost first
         */
        record Layers(List<Path> folders) implements Root {
            public Layers {
                folders = List.copyOf(folders);
            }
        }

        /**
         * The machine's own: a small skeleton (etc, empty folders, links into usr) with folders of the machine shown
         * read-only in it.
         *
         * @param skeleton the folder with what is made for sandboxes
         * @param shown folders of the machine, each at the same place inside
         */
        record Host(Path skeleton, List<Path> shown) implements Root {}
    }

    /**
     * What the image says about its processes; empty where it says nothing.
     *
     * @param user a name or a number, and perhaps {@code :group}
     * @param entrypoint what every command is handed to
     * @param command what runs where nobody names a command, behind the entrypoint
     */
    public record Config(
            Map<String, String> environment,
            Optional<String> workdir,
            Optional<String> user,
            List<String> entrypoint,
            List<String> command) {
        public static final Config NONE =
                new Config(Map.of(), Optional.empty(), Optional.empty(), List.of(), List.of());

        public Config {
            environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
            entrypoint = List.copyOf(entrypoint);
            command = List.copyOf(command);
        }
    }
}
