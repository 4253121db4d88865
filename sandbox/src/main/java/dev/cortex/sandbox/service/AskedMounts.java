package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Problems;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.terms.LiveMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Decides which folders of the machine may be shown live, and where. */
final class AskedMounts {
    /** Each has a process of the host beside it. */
    private static final int MOST = 16;

    /** A sandbox's own: nothing may lie at or beneath them. */
    private static final List<String> NO_TARGET = List.of("/proc", "/sys", "/dev", "/run/cortex");

    /** What would be hidden whole; beneath them is room. */
    private static final Set<String> NOT_ITSELF = Set.of(
            "/", "/run", "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/var", "/tmp", "/home", "/home/agent");

    private final AskedFolder folders;

    AskedMounts(AskedFolder folders) {
        this.folders = folders;
    }

    /** @throws CortexException NOT_FOUND, INVALID_ARGUMENT, DENIED, UNSUPPORTED, each with its remedy */
    List<LiveMount> of(CreateSandbox request, SandboxDriver driver, Problems problems) {
        problems.require(request.mounts().size() <= MOST, "more than " + MOST + " mounts");
        List<LiveMount> mounts = new ArrayList<>();
        for (dev.cortex.protocol.api.LiveMount asked : request.mounts()) {
            boolean readOnly = asked.readOnly().orElse(false);
            requireKept(driver, readOnly);
            checkGuest(asked.guest(), mounts, problems);
            mounts.add(new LiveMount(
                    folders.real(asked.host(), "mount"),
                    asked.guest(),
                    readOnly,
                    asked.writableHooks().orElse(false)));
        }
        return mounts;
    }

    private static void requireKept(SandboxDriver driver, boolean readOnly) {
        if (readOnly && !driver.capabilities().has(Capability.ISOLATION)) {
            throw CortexException.of(
                    ErrorCode.UNSUPPORTED,
                    "the driver " + driver.name()
                            + " cannot keep a mount read-only: what runs in it has your own rights",
                    "leave :ro out, or use --driver oci");
        }
    }

    private static void checkGuest(String guest, List<LiveMount> before, Problems problems) {
        boolean clean = guest.startsWith("/")
                && guest.indexOf('\0') < 0
                && (guest.equals("/") || (!guest.endsWith("/") && !guest.contains("//")))
                && List.of(guest.split("/")).stream().noneMatch(part -> part.equals(".") || part.equals(".."));
        problems.require(clean, "a mount's place inside, '" + guest + "', must be an absolute path without . and ..");
        problems.require(
                !NOT_ITSELF.contains(guest) && NO_TARGET.stream().noneMatch(own -> within(guest, own)),
                "a mount at " + guest + " would hide what the sandbox needs: choose a folder such as /home/agent/src");
        for (LiveMount other : before) {
            problems.require(
                    !within(guest, other.guest()) && !within(other.guest(), guest),
                    "the mounts at " + other.guest() + " and " + guest + " lie in each other");
        }
    }

    static boolean within(String path, String folder) {
        return path.equals(folder) || path.startsWith(folder + "/");
    }
}
