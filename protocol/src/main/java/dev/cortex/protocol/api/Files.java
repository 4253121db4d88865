package dev.cortex.protocol.api;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Records of the file operations. A path that is not UTF-8 travels in its {@code …_b64} field. */
public final class Files {
    private Files() {}

    /** @param type file, directory, symlink or other; @param mode permission bits */
    public record Entry(
            Optional<String> path,
            Optional<String> pathB64,
            String type,
            long size,
            int mode,
            Instant modifiedAt,
            long uid,
            long gid,
            Optional<String> target) {}

    /** @param next continue behind this path; absent at the end */
    public record Listing(List<Entry> entries, Optional<String> next) {}

    public record MakeDirectory(
            String path, Optional<Boolean> parents, Optional<Integer> mode, Optional<String> user) {}

    public record Move(String from, String to, Optional<Boolean> replace, Optional<String> user) {}

    public record Resolved(Optional<String> path, Optional<String> pathB64, boolean exists) {}

    public record Removed(long entries) {}

    /**
     * @param kind created, modified, removed, moved, attributes; rescan: what lies beneath the path may have changed
     *     unseen, look again; failed: nothing more comes, because of {@code code} and {@code message}
     * @param from of a move, where it was
     */
    public record Change(
            String kind,
            boolean folder,
            Optional<String> path,
            Optional<String> pathB64,
            Optional<String> from,
            Optional<String> fromB64,
            Optional<String> code,
            Optional<String> message) {}
}
