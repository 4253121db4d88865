package dev.cortex.drivers.oci;

import dev.cortex.drivers.launch.DiskSpec;
import dev.cortex.drivers.launch.FirstProcess;
import dev.cortex.drivers.launch.LaunchSpec;
import dev.cortex.drivers.launch.Mark;
import dev.cortex.drivers.launch.PauseSpec;
import dev.cortex.drivers.launch.Probed;
import dev.cortex.drivers.launch.RunFiles;
import dev.cortex.drivers.launch.RuntimeProgram;
import dev.cortex.drivers.launch.StopSpec;
import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** The launcher's requests for this driver, as pure functions. */
final class OciLaunch {
    private static final long PERIOD_MICROS = 100_000;
    private static final long FAIR_SHARES = 1_024;
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);
    private static final Duration PAUSE_DEADLINE = Duration.ofSeconds(10);

    private OciLaunch() {}

    /** What a start needs to know of the host and of this program's own files. */
    record Surroundings(
            OciRuntime runtime,
            String program,
            Rights rights,
            Probed.Cgroups cgroups,
            Path neuron,
            JsonNode seccomp,
            DiskSpec disk) {}

    static LaunchSpec start(StartRequest request, Surroundings host, Path etc) {
        RunFiles files = new RunFiles(request.runFolder(), request.folder());
        return new LaunchSpec(
                LaunchSpec.VERSION,
                request.sandbox().value(),
                runtime(host.runtime().program(), host.program(), files),
                Optional.of(files.bundle().toString()),
                Optional.of(SandboxConfig.of(request, host.runtime(), host.rights(), host.seccomp(), host.neuron())
                        .toJson()),
                MountPlan.of(request, host.runtime(), host.rights(), etc, host.neuron()),
                host.rights().idmap(),
                Optional.of(new LaunchSpec.Listen(
                        files.socket().toString(),
                        0,
                        Optional.of(files.channel().toString())
                                .filter(shared -> host.runtime().ownKernel()))),
                cgroup(request, host.runtime(), host.cgroups()),
                host.rights().launcher(),
                Optional.of(host.disk()),
                Optional.empty(),
                Optional.of(files.console().toString()),
                Optional.of(files.pidFile().toString()));
    }

    static StopSpec stop(StopRequest request, String runtime, String program, boolean rootless) {
        RunFiles files = new RunFiles(request.runFolder(), request.folder());
        Optional<OciSandboxHandle> handle = request.handle().flatMap(OciSandboxHandle::understand);
        return new StopSpec(
                LaunchSpec.VERSION,
                request.sandbox().value(),
                runtime(
                        handle.map(OciSandboxHandle::runtime).orElse(runtime),
                        handle.map(OciSandboxHandle::program).orElse(program),
                        files),
                handle.map(known -> known.first().pid()).orElse(0),
                handle.map(known -> known.first().startTime()).orElse(0L),
                handle.map(known -> known.first().bootId()).orElse(""),
                Optional.of(cgroupName(request.home(), request.sandbox())),
                Mark.of(request.sandbox()),
                handle.map(OciSandboxHandle::rights)
                        .orElse(rootless ? Rights.ROOTLESS : Rights.root(0))
                        .launcher(),
                Optional.of(files.socket().toString()),
                Optional.of(files.channel().toString()),
                Optional.of(files.pidFile().toString()),
                Optional.of(files.bundle().toString()),
                STOP_DEADLINE.toMillis());
    }

    /** @param cgroup the sandbox's control group */
    static PauseSpec pause(SandboxId sandbox, OciSandboxHandle handle, String cgroup) {
        FirstProcess first = handle.first();
        return new PauseSpec(
                LaunchSpec.VERSION,
                sandbox.value(),
                first.pid(),
                first.startTime(),
                first.bootId(),
                Optional.of(cgroup),
                0,
                Optional.empty(),
                PAUSE_DEADLINE.toMillis());
    }

    private static RuntimeProgram runtime(String flavour, String program, RunFiles files) {
        return RuntimeProgram.oci(flavour, program, RuntimeState.folder(files, flavour));
    }

    static String cgroupName(UUID home, SandboxId sandbox) {
        return cgroupParent(home) + "/" + sandbox.value();
    }

    /** What stands above the control groups of a home's sandboxes. */
    static String cgroupParent(UUID home) {
        return "cortex-" + home.toString().substring(0, 8);
    }

    /** Only where this caller can use control groups; the capabilities say which limits hold. */
    private static Optional<LaunchSpec.Cgroup> cgroup(StartRequest request, OciRuntime runtime, Probed.Cgroups usable) {
        if (usable.controllers().isEmpty()) {
            return Optional.empty();
        }
        Limits limits = request.limits();
        return Optional.of(new LaunchSpec.Cgroup(
                cgroupName(request.home(), request.sandbox()),
                usable.has("memory") ? limits.memoryBytes() : 0,
                usable.has("pids") && !runtime.ownKernel() ? limits.processes() : 0,
                usable.has("cpu") ? Math.round(limits.cpus() * PERIOD_MICROS) : 0,
                PERIOD_MICROS,
                FAIR_SHARES,
                wholeCpus(limits.cpus())));
    }

    /** A whole number is an affinity as well, so that nproc agrees. */
    private static int wholeCpus(double cpus) {
        return cpus == Math.rint(cpus) ? (int) cpus : 0;
    }
}
