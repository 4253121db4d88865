package dev.cortex.drivers.launch;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Optional;

/**
 * One step of a mount plan. A target is an absolute path inside the sandbox's root, resolved so that a link left there
 * by a guest cannot lead out; what is missing is made.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
@JsonSubTypes({
    @JsonSubTypes.Type(value = Mount.Overlay.class, name = "overlay"),
    @JsonSubTypes.Type(value = Mount.Bind.class, name = "bind"),
    @JsonSubTypes.Type(value = Mount.Tmpfs.class, name = "tmpfs"),
    @JsonSubTypes.Type(value = Mount.CgroupView.class, name = "cgroup_view"),
    @JsonSubTypes.Type(value = Mount.Live.class, name = "live")
})
public sealed interface Mount {
    /**
     * An overlay file system.
     *
     * @param lowers the topmost first; never written
     * @param upper and {@code work}: two folders beside each other; both absent: read-only
     * @param idmapLowers shows the lowers through the spec's mapping
     * @param idmapUpper the same for the disk
     * @param userxattr needed in a user namespace, refused outside
     */
    record Overlay(
            List<String> lowers,
            Optional<String> upper,
            Optional<String> work,
            String target,
            boolean idmapLowers,
            boolean idmapUpper,
            boolean userxattr)
            implements Mount {
        public Overlay {
            lowers = List.copyOf(lowers);
        }
    }

    /**
     * A file or folder of the host.
     *
     * @param readOnly holds for submounts too
     * @param file {@code source} is a file
     * @param hidden mountinfo inside does not show the host's path; needs {@code readOnly}, excludes {@code recursive}
     */
    record Bind(
            String source,
            String target,
            boolean readOnly,
            boolean idmap,
            boolean recursive,
            boolean file,
            boolean hidden)
            implements Mount {}

    /**
     * A file system in memory, nosuid and nodev.
     *
     * @param size in bytes
     * @param mode octal digits
     */
    record Tmpfs(String target, long size, String mode, boolean noexec) implements Mount {}

    /** The sandbox's own control groups, read-only, at {@code <bundle>/mnt/cgroup}. */
    record CgroupView() implements Mount {}

    /**
     * A folder of the host that both sides use, through a guard of the launcher's: as its owner's, nosuid and nodev.
     *
     * @param writableHooks also what the host would run by itself can be changed from inside
     * @param uid whom inside the folder's owner is shown as
     * @param home what is missing of the target beneath it is made as that user's
     */
    record Live(String source, String target, boolean readOnly, boolean writableHooks, int uid, int gid, String home)
            implements Mount {}
}
