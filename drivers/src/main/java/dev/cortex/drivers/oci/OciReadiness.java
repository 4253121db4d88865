package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.Probed;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.Readiness.Missing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What stands in the way of this driver on a host, and the one command that helps; a pure function of the probe. */
final class OciReadiness {
    private static final String ROOT_ONLY = "gVisor is used by a daemon of root only";

    private static final String OWN_KERNEL = "a kernel of its own for each sandbox (gVisor), where root inside or a"
            + " program beyond the memory limit can end its own sandbox";

    /** 0 is the user, the others are subordinate. */
    private static final long SUBORDINATE_LEAST = UidReserve.SIZE - 1;

    private final Probed host;
    private final Optional<OciRuntime> wanted;
    private final AsRoot rights;
    private final List<Missing> missing = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    private OciReadiness(Probed host, Optional<OciRuntime> wanted, AsRoot rights) {
        this.host = host;
        this.wanted = wanted;
        this.rights = rights;
    }

    /** @param wanted the runtime that was asked for, else the strongest that is there */
    static Readiness of(Probed host, Optional<OciRuntime> wanted) {
        return of(host, wanted, AsRoot.here(host.root()));
    }

    static Readiness of(Probed host, Optional<OciRuntime> wanted, AsRoot rights) {
        return new OciReadiness(host, wanted, rights).decide();
    }

    static Optional<OciRuntime> strongest(Probed host) {
        return Arrays.stream(OciRuntime.values())
                .filter(runtime -> runtime(host, runtime).isPresent())
                .findFirst();
    }

    private Readiness decide() {
        Optional<OciRuntime> runtime = wanted.or(() -> strongest(host));
        if (runtime.flatMap(there -> runtime(host, there)).isEmpty()) {
            missing.add(missing(runtime.orElse(OciRuntime.CRUN)));
        }
        runtime.filter(OciRuntime::ownKernel).ifPresent(gvisor -> notes.add(OWN_KERNEL));
        need(
                host.userNamespaces(),
                "user_namespaces",
                "user namespaces cannot be made",
                "sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1"
                        + " kernel.apparmor_restrict_unprivileged_userns=0");
        need(
                host.seccomp(),
                "seccomp",
                "seccomp filters cannot be installed",
                "use a kernel with CONFIG_SECCOMP_FILTER");
        need(host.pidfd(), "pidfd", "the kernel has no pidfd", "use Linux 5.10 or newer");
        need(host.openat2(), "openat2", "the kernel has no openat2", "use Linux 5.10 or newer");
        if (host.root()) {
            decideForRoot();
        } else {
            decideRootless();
        }
        return new Readiness(runtime.map(OciRuntime::program), missing, notes);
    }

    private Missing missing(OciRuntime runtime) {
        if (runtime != OciRuntime.RUNSC) {
            return new Missing(runtime.program() + " is missing", install(runtime.program()), rights.canBeTaken());
        }
        String what = found(host, runtime)
                .flatMap(Probed.Runtime::problem)
                .orElse(host.root() ? "gVisor is missing" : ROOT_ONLY);
        return what.equals(ROOT_ONLY)
                ? new Missing(what, "run the daemon as root, or leave --runtime out", false)
                : new Missing(what, "cortex doctor --fix", false);
    }

    private void decideForRoot() {
        need(host.overlay(), "overlay", "an overlay cannot be mounted", "modprobe overlay");
        need(
                host.idmappedMounts(),
                "idmapped_mounts",
                "idmapped mounts beneath an overlay fail",
                "use Linux 5.19 or newer, and a home on ext4, xfs, btrfs or tmpfs");
        for (String controller : List.of("memory", "pids", "cpu")) {
            if (!host.cgroup().has(controller)) {
                notes.add("no " + controller + " limit: the control group controller cannot be used here");
            }
        }
    }

    private void decideRootless() {
        need(
                host.overlayUserxattr(),
                "overlay_userxattr",
                "an ordinary user cannot mount an overlay",
                "use Linux 5.11 or newer");
        if (host.newuidmap().isEmpty() || host.newgidmap().isEmpty()) {
            missing.add(new Missing("newuidmap or newgidmap is missing", install("uidmap"), rights.canBeTaken()));
        }
        String user = host.user().orElse("\"$(id -un)\"");
        String who = host.user().map(name -> "user " + name).orElse("this user");
        if (host.subUids().stream().noneMatch(range -> range.count() >= SUBORDINATE_LEAST)) {
            missing.add(new Missing(
                    who + " has no 65,535 subordinate uids",
                    rights.before("usermod --add-subuids 100000-165535 " + user),
                    false));
        }
        if (host.subGids().stream().noneMatch(range -> range.count() >= SUBORDINATE_LEAST)) {
            missing.add(new Missing(
                    who + " has no 65,535 subordinate gids",
                    rights.before("usermod --add-subgids 100000-165535 " + user),
                    false));
        }
        if (host.cgroup().controllers().isEmpty()) {
            notes.add("no memory, process and cpu limits: no control group is delegated to this user");
        }
        notes.add("all sandboxes of this user share one range of uids");
    }

    private void need(boolean fact, String name, String what, String fix) {
        if (!fact) {
            missing.add(new Missing(what + ": " + host.reason(name), asRoot(fix), false));
        }
    }

    private String install(String name) {
        return rights.before("apt-get install -y --no-install-recommends " + name);
    }

    /** Advice begins with "use"; the rest are commands. */
    private String asRoot(String fix) {
        return fix.startsWith("use ") ? fix : rights.before(fix);
    }

    static Optional<Probed.Runtime> runtime(Probed host, OciRuntime wanted) {
        return found(host, wanted).filter(Probed.Runtime::usable);
    }

    private static Optional<Probed.Runtime> found(Probed host, OciRuntime wanted) {
        return host.runtimes().stream()
                .filter(runtime -> runtime.name().equals(wanted.program()))
                .findFirst();
    }
}
