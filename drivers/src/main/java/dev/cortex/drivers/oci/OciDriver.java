package dev.cortex.drivers.oci;

import dev.cortex.drivers.channel.SocketDialer;
import dev.cortex.drivers.disk.HostPool;
import dev.cortex.drivers.launch.DiskSpec;
import dev.cortex.drivers.launch.HeldProcesses;
import dev.cortex.drivers.launch.HostNames;
import dev.cortex.drivers.launch.HostProbe;
import dev.cortex.drivers.launch.Installation;
import dev.cortex.drivers.launch.Launcher;
import dev.cortex.drivers.launch.ObserveSpec;
import dev.cortex.drivers.launch.PauseSpec;
import dev.cortex.drivers.launch.Probed;
import dev.cortex.drivers.launch.RunFiles;
import dev.cortex.drivers.launch.Started;
import dev.cortex.drivers.launch.WorkspaceCopies;
import dev.cortex.drivers.launch.WorkspacePlace;
import dev.cortex.protocol.api.ApplyWorkspace;
import dev.cortex.protocol.api.WorkspaceApplied;
import dev.cortex.protocol.api.WorkspaceChanges;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Capabilities;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.Discovering;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.Pausing;
import dev.cortex.sandbox.driver.Preparing;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.driver.WorkspaceKeeping;
import dev.cortex.sandbox.image.Image;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Runs the neuron as the first process of a container: user namespace with a range of uids of its own, the image
 * read-only with the disk above it, no capabilities for {@code agent}, seccomp, no network, limits by control groups. As
 * root, and as an ordinary user with subordinate ids.
 */
public final class OciDriver implements SandboxDriver, Pausing, Preparing, WorkspaceKeeping, Discovering {
    public static final String NAME = "oci";

    /** By it the guard of a live mount serves its folder. */
    private static final Path FUSE = Path.of("/dev/fuse");

    private static final String ISOLATION = "namespaces, seccomp, no network, own uids";

    private final Launcher launcher;
    private final HostProbe probe;
    private final HostPool pool;
    private final Path neuron;
    private final WorkspaceCopies workspaces;
    private final SocketDialer dialer = new SocketDialer();
    private final OomKills oomKills = new OomKills();
    private final HeldProcesses processes = new HeldProcesses();

    /** @param pool in which its disks are made */
    public OciDriver(Installation installation, Launcher launcher, HostProbe probe, HostPool pool) {
        this.launcher = launcher;
        this.workspaces = new WorkspaceCopies(launcher);
        this.probe = probe;
        this.pool = pool;
        this.neuron = installation.neuron();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        Set<Capability> all = EnumSet.of(
                Capability.ISOLATION,
                Capability.IMAGES,
                Capability.USERS,
                Capability.ROOT_SESSIONS,
                Capability.SECCOMP_PROFILES,
                Capability.EGRESS);
        addIf(all, Capability.LIVE_MOUNTS, Files.isReadable(FUSE) && Files.isWritable(FUSE));
        try {
            Probed.Cgroups cgroups = probe.lately().cgroup();
            addIf(all, Capability.MEMORY_LIMIT, cgroups.has("memory"));
            addIf(all, Capability.PROCESS_LIMIT, cgroups.has("pids"));
            addIf(all, Capability.CPU_LIMIT, cgroups.has("cpu"));
            addIf(all, Capability.DISK_LIMIT, pool.limits());
            addIf(all, Capability.PAUSE, cgroups.has("freezer"));
        } catch (CortexException e) {
            // A host that cannot be probed promises no limits; check() tells why.
        }
        return new Capabilities(ISOLATION, all);
    }

    private static void addIf(Set<Capability> all, Capability capability, boolean holds) {
        if (holds) {
            all.add(capability);
        }
    }

    @Override
    public List<String> runtimes() {
        return OciRuntime.names();
    }

    @Override
    public Readiness check() {
        return check(Optional.empty());
    }

    @Override
    public Readiness check(String runtime) {
        return check(Optional.of(known(runtime)));
    }

    private Readiness check(Optional<OciRuntime> wanted) {
        List<Readiness.Missing> missing = new ArrayList<>();
        if (!Files.isExecutable(neuron)) {
            missing.add(new Readiness.Missing("the neuron is missing: " + neuron, "./dev build", false));
        }
        try {
            Readiness host = OciReadiness.of(lookedAtAgainBeforeRefusing(wanted), wanted);
            missing.addAll(host.missing());
            return new Readiness(host.runtime(), missing, host.notes());
        } catch (CortexException e) {
            missing.add(new Readiness.Missing(e.getMessage(), e.remedy().orElse("cortex doctor"), false));
            return new Readiness(Optional.empty(), missing, List.of());
        }
    }

    @Override
    public Handle start(StartRequest request) {
        OciLaunch.Surroundings host = surroundings(request);
        HostFolders.makePassable(new RunFiles(request.runFolder(), request.folder()).bundle());
        Started started = launch(request, host);
        processes.hold(request.sandbox(), started.first());
        if (request.hostname().isEmpty()) {
            HostNames.expect();
        }
        return new OciSandboxHandle(
                        started.first(),
                        started.socket(),
                        host.runtime().program(),
                        host.program(),
                        host.rights(),
                        OciSandboxHandle.diskOf(host.rights()),
                        host.cgroups().controllers().isEmpty()
                                ? Optional.empty()
                                : Optional.of(OciLaunch.cgroupName(request.home(), request.sandbox())))
                .write(request.sandbox());
    }

    private OciLaunch.Surroundings surroundings(StartRequest request) {
        Optional<OciRuntime> asked = request.runtime().map(OciDriver::known);
        Probed host = readyHost(asked);
        OciRuntime wanted = asked.or(() -> OciReadiness.strongest(host)).orElse(OciRuntime.CRUN);
        String program =
                OciReadiness.runtime(host, wanted).map(Probed.Runtime::path).orElse(wanted.program());
        Rights rights = host.root() ? Rights.root(UidReserve.base(request.home(), request.slot())) : Rights.ROOTLESS;
        return new OciLaunch.Surroundings(
                wanted, program, rights, host.cgroup(), neuron, seccomp(request, wanted), disk(request, rights));
    }

    private static JsonNode seccomp(StartRequest request, OciRuntime runtime) {
        return SeccompProfile.of(request.terms().rights().seccomp(), runtime);
    }

    /** What was missing may be there now. */
    private Probed lookedAtAgainBeforeRefusing(Optional<OciRuntime> wanted) {
        Probed host = probe.lately();
        return OciReadiness.of(host, wanted).ready() ? host : probe.now();
    }

    private Probed readyHost(Optional<OciRuntime> wanted) {
        Probed host = lookedAtAgainBeforeRefusing(wanted);
        OciReadiness.of(host, wanted).missing().stream().findFirst().ifPresent(missing -> {
            throw CortexException.of(ErrorCode.NOT_READY, missing.what(), missing.fix());
        });
        return host;
    }

    private static OciRuntime known(String name) {
        return OciRuntime.named(name).orElseThrow(() -> unknownRuntime(name));
    }

    private static CortexException unknownRuntime(String name) {
        return CortexException.of(
                ErrorCode.UNSUPPORTED,
                "the driver oci has no runtime " + name,
                "it has: " + String.join(", ", OciRuntime.names()));
    }

    /** The disk, with a folder for each folder of the machine above which something can be written. */
    private DiskSpec disk(StartRequest request, Rights rights) {
        List<String> folders = new ArrayList<>();
        if (!rights.rootless() && request.image().root() instanceof Image.Root.Host host) {
            DiskFolders disk = new DiskFolders(request.disk());
            host.shown()
                    .forEach(folder -> folders.add(
                            request.disk().relativize(disk.shown(folder)).toString()));
        }
        return pool.disk(request.disk(), request.limits().diskBytes(), folders);
    }

    @Override
    public boolean makesDisks() {
        return true;
    }

    private Started launch(StartRequest request, OciLaunch.Surroundings host) {
        try {
            return launcher.start(OciLaunch.start(request, host, EtcLayer.write(request)));
        } catch (CortexException e) {
            // The launcher undoes what it began; but one that was cut off at its deadline or by a signal could not.
            stopQuietly(
                    new StopRequest(
                            request.sandbox(), request.home(), Optional.empty(), request.runFolder(), request.folder()),
                    e);
            throw e;
        }
    }

    private void stopQuietly(StopRequest request, CortexException cause) {
        try {
            stop(request);
        } catch (CortexException e) {
            cause.addSuppressed(e);
        }
    }

    @Override
    public Map<Handle, Observation> observe(Collection<Handle> handles) {
        List<ObserveSpec.Subject> subjects = new ArrayList<>();
        for (Handle handle : handles) {
            OciSandboxHandle.understand(handle).ifPresent(known -> {
                processes.hold(handle.sandbox(), known.first());
                subjects.add(new ObserveSpec.Subject(handle.sandbox().value(), known.first(), known.cgroup()));
            });
        }
        Map<String, Observation> seen = launcher.observe(subjects);
        Map<Handle, Observation> answer = new LinkedHashMap<>();
        handles.forEach(
                handle -> answer.put(handle, seen.getOrDefault(handle.sandbox().value(), Observation.UNKNOWN)));
        return answer;
    }

    @Override
    public Optional<String> causeOfDeath(Handle handle) {
        Optional<OciSandboxHandle> known = OciSandboxHandle.understand(handle);
        String facts = Stream.of(
                        known.flatMap(k -> processes.end(handle.sandbox(), k.first())),
                        known.flatMap(OciSandboxHandle::cgroup).flatMap(oomKills::in))
                .flatMap(Optional::stream)
                .collect(Collectors.joining("; "));
        return facts.isEmpty() ? Optional.empty() : Optional.of(facts);
    }

    /** Naming it later takes root's power over its namespace, and a namespace of the host's kernel. */
    @Override
    public boolean prepares(String runtime) {
        return OciRuntime.named(runtime).filter(known -> !known.ownKernel()).isPresent() && !rootless();
    }

    @Override
    public void name(Handle handle, Path folder, String hostname) {
        EtcLayer.name(folder, hostname);
        HostNames.set(OciSandboxHandle.read(handle).first(), hostname);
    }

    @Override
    public void pause(Handle handle) {
        launcher.pause(pauseSpec(handle));
    }

    @Override
    public void resume(Handle handle) {
        launcher.resume(pauseSpec(handle));
    }

    /** Signals would do without a group, but not for certain: what forks fast enough can run on. */
    private static PauseSpec pauseSpec(Handle handle) {
        OciSandboxHandle known = OciSandboxHandle.read(handle);
        String cgroup = known.cgroup()
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.UNSUPPORTED,
                        "the sandbox was started without control groups, and only their freezer stops all of it",
                        "run the daemon as root, or give its user control groups of their own"));
        return OciLaunch.pause(handle.sandbox(), known, cgroup);
    }

    @Override
    public void stop(StopRequest request) {
        Probed host = probe.lately();
        OciRuntime runtime = RuntimeState.of(request).orElse(OciRuntime.CRUN);
        String program =
                OciReadiness.runtime(host, runtime).map(Probed.Runtime::path).orElse("/usr/bin/" + runtime.program());
        launcher.stop(OciLaunch.stop(request, runtime.program(), program, !host.root()));
        processes.release(request.sandbox());
    }

    @Override
    public List<Trace> discover(Question question) {
        return launcher.discover(question, OciLaunch.cgroupParent(question.home()));
    }

    @Override
    public GuestStream dial(Handle handle) {
        return dialer.dial(handle.sandbox(), OciSandboxHandle.read(handle).socket());
    }

    @Override
    public void wipeDisk(Path disk) {
        launcher.wipe(disk, !probe.lately().root());
    }

    @Override
    public long diskUsage(Path disk) {
        return launcher.usage(disk, !probe.lately().root());
    }

    @Override
    public void takeWorkspace(Path disk, SandboxId sandbox, Path folder) {
        workspaces.take(place(disk), sandbox, folder, rootless());
    }

    @Override
    public void dropWorkspace(Path disk, SandboxId sandbox) {
        workspaces.drop(place(disk), sandbox, rootless());
    }

    @Override
    public WorkspaceChanges workspaceChanges(Path disk, List<String> paths) {
        return workspaces.changes(place(disk), paths, rootless());
    }

    @Override
    public void workspacePatch(Path disk, List<String> paths, Path to) {
        workspaces.patch(place(disk), paths, to, rootless());
    }

    @Override
    public WorkspaceApplied applyWorkspace(Path disk, ApplyWorkspace request) {
        return workspaces.apply(place(disk), request, rootless());
    }

    private boolean rootless() {
        return !probe.lately().root();
    }

    private WorkspacePlace place(Path disk) {
        return new DiskFolders(disk).workspace(rootless());
    }
}
