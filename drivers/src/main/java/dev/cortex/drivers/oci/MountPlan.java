package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.Mount;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.terms.LiveMount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the launcher mounts before the runtime starts, as a pure function. */
final class MountPlan {
    /** Where the neuron lies in every sandbox. */
    static final String NEURON = "/run/cortex/neuron";

    private MountPlan() {}

    /**
     * @param etc the layer with the sandbox's own hosts, hostname and resolv.conf
     * @param neuron the program on the host
     */
    static List<Mount> of(StartRequest request, OciRuntime runtime, Rights rights, Path etc, Path neuron) {
        TmpfsSizes sizes = TmpfsSizes.under(request.limits().memoryBytes());
        DiskFolders disk = new DiskFolders(request.disk());
        List<Mount> plan = new ArrayList<>();
        switch (request.image().root()) {
            case Image.Root.Folder folder -> plan.add(overlay(List.of(etc, folder.path()), disk.root(), "/", rights));
            case Image.Root.Layers layers ->
                plan.add(overlay(
                        Stream.concat(Stream.of(etc), layers.folders().stream()).toList(), disk.root(), "/", rights));
            case Image.Root.Host host -> {
                plan.add(overlay(List.of(etc, host.skeleton()), disk.root(), "/", rights));
                host.shown().forEach(folder -> plan.add(shown(folder, disk, rights)));
            }
        }
        if (!runtime.ownKernel()) {
            plan.add(new Mount.Tmpfs("/tmp", sizes.tmp(), "1777", false));
            plan.add(new Mount.Tmpfs("/run", sizes.run(), "755", false));
            plan.add(new Mount.Bind(neuron.toString(), NEURON, true, false, false, true, true));
            plan.add(new Mount.CgroupView());
        }
        request.terms().mounts().forEach(mount -> plan.add(live(mount)));
        return plan;
    }

    private static Mount live(LiveMount mount) {
        GuestIdentity.User agent = GuestIdentity.User.AGENT;
        return new Mount.Live(
                mount.host().toString(),
                mount.guest(),
                mount.readOnly(),
                mount.writableHooks(),
                agent.uid(),
                agent.gid(),
                agent.home());
    }

    /**
     * A folder of the machine. An overlay, where ids can be mapped: packages can then be installed above it. For an
     * ordinary user its files belong to nobody, so that nothing could be changed anyway: shown read-only.
     */
    private static Mount shown(Path folder, DiskFolders disk, Rights rights) {
        return rights.rootless()
                ? new Mount.Bind(folder.toString(), folder.toString(), true, false, true, false, false)
                : overlay(List.of(folder), disk.shown(folder), folder.toString(), rights);
    }

    private static Mount overlay(List<Path> lowers, Path writable, String target, Rights rights) {
        boolean idmap = !rights.rootless();
        return new Mount.Overlay(
                lowers.stream().map(Path::toString).toList(),
                Optional.of(DiskFolders.upper(writable)),
                Optional.of(DiskFolders.work(writable)),
                target,
                idmap,
                idmap,
                rights.rootless());
    }
}
