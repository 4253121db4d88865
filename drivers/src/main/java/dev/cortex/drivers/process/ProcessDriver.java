package dev.cortex.drivers.process;

import dev.cortex.drivers.channel.SocketDialer;
import dev.cortex.drivers.launch.HeldProcesses;
import dev.cortex.drivers.launch.Installation;
import dev.cortex.drivers.launch.Launcher;
import dev.cortex.drivers.launch.ObserveSpec;
import dev.cortex.drivers.launch.Started;
import dev.cortex.drivers.launch.WorkspaceCopies;
import dev.cortex.drivers.launch.WorkspacePlace;
import dev.cortex.protocol.api.ApplyWorkspace;
import dev.cortex.protocol.api.WorkspaceApplied;
import dev.cortex.protocol.api.WorkspaceChanges;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Capabilities;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.Discovering;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.Pausing;
import dev.cortex.sandbox.driver.Placement;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.driver.WorkspaceKeeping;
import dev.cortex.sandbox.guest.GuestIdentity.User;
import dev.cortex.sandbox.image.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs the neuron as a plain child in a session of its own. What runs in the sandbox has the user's own rights: no
 * isolation, no other users, no limits. Processes are found by {@link dev.cortex.drivers.launch.Mark}.
 */
public final class ProcessDriver implements SandboxDriver, Pausing, WorkspaceKeeping, Discovering {
    public static final String NAME = "process";

    private static final Capabilities CAPABILITIES = new Capabilities(
            "none: what runs in it has your own rights", Set.of(Capability.LIVE_MOUNTS, Capability.PAUSE));

    private final Launcher launcher;
    private final Installation installation;
    private final Map<String, String> environment;
    private final WorkspaceCopies workspaces;
    private final SocketDialer dialer = new SocketDialer();
    private final HeldProcesses processes = new HeldProcesses();

    /** @param environment the daemon's own, of which an allow list gets in */
    public ProcessDriver(Installation installation, Launcher launcher, Map<String, String> environment) {
        this.launcher = launcher;
        this.workspaces = new WorkspaceCopies(launcher);
        this.installation = installation;
        this.environment = Map.copyOf(environment);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    /** The caller itself, at home in the disk. */
    @Override
    public Placement placement(Path disk) {
        try {
            int gid = (int) Files.getAttribute(Path.of("/proc/self"), "unix:gid");
            User caller = new User(System.getProperty("user.name", ""), (int) Home.uid(), gid, disk.toString());
            return new Placement(caller, ProcessLaunch.workdir(disk).toString());
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.NOT_READY, "/proc cannot be read", "mount proc on /proc")
                    .because(e);
        }
    }

    @Override
    public Readiness check() {
        List<Readiness.Missing> missing = new ArrayList<>();
        for (Path program : List.of(installation.launcher(), installation.neuron())) {
            if (!Files.isExecutable(program)) {
                missing.add(new Readiness.Missing(program + " is missing", "./dev build", false));
            }
        }
        return new Readiness(
                Optional.empty(),
                missing,
                List.of("no isolation: for trusted code, with CORTEX_ALLOW_INSECURE_PROCESS=1"));
    }

    @Override
    public Handle start(StartRequest request) {
        refuseWhatItCannotDo(request);
        makeWorkdir(request);
        LinkedFolders.make(request.disk(), request.terms().mounts());
        Started started = launcher.start(ProcessLaunch.start(request, installation.neuron(), environment));
        processes.hold(request.sandbox(), started.first());
        return ProcessSandboxHandle.of(started).write(request.sandbox());
    }

    private static void refuseWhatItCannotDo(StartRequest request) {
        if (!(request.image().root() instanceof Image.Root.Host)) {
            throw unsupported("the driver process has no images");
        }
        if (request.runtime().isPresent()) {
            throw unsupported(
                    "the driver process has no runtime " + request.runtime().get());
        }
    }

    private static CortexException unsupported(String what) {
        return CortexException.of(ErrorCode.UNSUPPORTED, what, "use --driver oci");
    }

    private static void makeWorkdir(StartRequest request) {
        try {
            Files.createDirectories(ProcessLaunch.workdir(request));
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "the working directory could not be made: " + ProcessLaunch.workdir(request),
                            "look at the owner and the free space of that folder")
                    .because(e);
        }
    }

    @Override
    public Map<Handle, Observation> observe(Collection<Handle> handles) {
        List<ObserveSpec.Subject> subjects = new ArrayList<>();
        for (Handle handle : handles) {
            ProcessSandboxHandle.understand(handle).ifPresent(known -> {
                processes.hold(handle.sandbox(), known.first());
                subjects.add(new ObserveSpec.Subject(handle.sandbox().value(), known.first(), Optional.empty()));
            });
        }
        Map<String, Observation> seen = launcher.observe(subjects);
        Map<Handle, Observation> answer = new LinkedHashMap<>();
        handles.forEach(
                handle -> answer.put(handle, seen.getOrDefault(handle.sandbox().value(), Observation.UNKNOWN)));
        return answer;
    }

    @Override
    public void pause(Handle handle) {
        launcher.pause(ProcessLaunch.pause(handle.sandbox(), ProcessSandboxHandle.read(handle)));
    }

    @Override
    public void resume(Handle handle) {
        launcher.resume(ProcessLaunch.pause(handle.sandbox(), ProcessSandboxHandle.read(handle)));
    }

    @Override
    public Optional<String> causeOfDeath(Handle handle) {
        return ProcessSandboxHandle.understand(handle).flatMap(known -> processes.end(handle.sandbox(), known.first()));
    }

    @Override
    public void stop(StopRequest request) {
        launcher.stop(ProcessLaunch.stop(request));
        processes.release(request.sandbox());
    }

    @Override
    public List<Trace> discover(Question question) {
        return launcher.discover(question, "");
    }

    @Override
    public GuestStream dial(Handle handle) {
        return dialer.dial(handle.sandbox(), ProcessSandboxHandle.read(handle).socket());
    }

    @Override
    public void wipeDisk(Path disk) {
        launcher.wipe(disk, false);
    }

    @Override
    public long diskUsage(Path disk) {
        return launcher.usage(disk, false);
    }

    @Override
    public void takeWorkspace(Path disk, SandboxId sandbox, Path folder) {
        workspaces.take(place(disk), sandbox, folder, false);
    }

    @Override
    public void dropWorkspace(Path disk, SandboxId sandbox) {
        workspaces.drop(place(disk), sandbox, false);
    }

    @Override
    public WorkspaceChanges workspaceChanges(Path disk, List<String> paths) {
        return workspaces.changes(place(disk), paths, false);
    }

    @Override
    public void workspacePatch(Path disk, List<String> paths, Path to) {
        workspaces.patch(place(disk), paths, to, false);
    }

    @Override
    public WorkspaceApplied applyWorkspace(Path disk, ApplyWorkspace request) {
        return workspaces.apply(place(disk), request, false);
    }

    private static WorkspacePlace place(Path disk) {
        return new WorkspacePlace(disk.toString(), "workspace", ".workspace-base", 0, 0, 0, "");
    }
}
