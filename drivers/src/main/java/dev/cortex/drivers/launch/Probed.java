package dev.cortex.drivers.launch;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What this host can do. Every fact was tried.
 *
 * @param cgroup what start could use
 * @param overlay an overlay was mounted
 * @param overlayUserxattr one was mounted in a user namespace
 * @param idmappedMounts one was made, and an overlay above it
 * @param subUids the caller's subordinate ranges
 * @param runtimes found in the folder of tools and in PATH
 * @param reasons for what is false, by the JSON name of the fact
 */
public record Probed(
        String kernel,
        int euid,
        Optional<String> user,
        Cgroups cgroup,
        boolean userNamespaces,
        boolean overlay,
        boolean overlayUserxattr,
        boolean idmappedMounts,
        boolean seccomp,
        boolean pidfd,
        boolean openat2,
        List<SubRange> subUids,
        List<SubRange> subGids,
        Optional<String> newuidmap,
        Optional<String> newgidmap,
        List<Runtime> runtimes,
        Map<String, String> reasons) {

    public boolean root() {
        return euid == 0;
    }

    /** Why a fact is false, in the system's words. */
    public String reason(String fact) {
        return reasons.getOrDefault(fact, "it was tried and failed");
    }

    /**
     * @param layout v1, hybrid, v2 or none
     * @param controllers that start can really use
     */
    public record Cgroups(String layout, List<String> controllers) {
        public boolean has(String controller) {
            return controllers.contains(controller);
        }
    }

    public record SubRange(long start, long count) {}

    /**
     * @param runtimeVersion absent when it does not answer
     * @param problem why it cannot be used although it is there
     */
    public record Runtime(String name, String path, Optional<String> runtimeVersion, Optional<String> problem) {
        public boolean usable() {
            return runtimeVersion.isPresent() && problem.isEmpty();
        }
    }
}
