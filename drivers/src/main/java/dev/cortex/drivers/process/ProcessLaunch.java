package dev.cortex.drivers.process;

import dev.cortex.drivers.launch.FirstProcess;
import dev.cortex.drivers.launch.LaunchSpec;
import dev.cortex.drivers.launch.Mark;
import dev.cortex.drivers.launch.NeuronCommand;
import dev.cortex.drivers.launch.PauseSpec;
import dev.cortex.drivers.launch.RunFiles;
import dev.cortex.drivers.launch.RuntimeProgram;
import dev.cortex.drivers.launch.StopSpec;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The launcher's requests for this driver, as pure functions. */
final class ProcessLaunch {
    /** Twice the neuron's grace for its own sessions; what is alive then is killed. */
    private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);

    private static final Duration PAUSE_DEADLINE = Duration.ofSeconds(10);

    private ProcessLaunch() {}

    static LaunchSpec start(StartRequest request, Path neuron, Map<String, String> daemonEnvironment) {
        RunFiles files = new RunFiles(request.runFolder(), request.folder());
        LaunchSpec.Child child = new LaunchSpec.Child(
                NeuronCommand.plain(neuron.toString(), request.sandbox()),
                ScrubbedEnvironment.of(daemonEnvironment, request.disk()),
                workdir(request).toString(),
                Mark.of(request.sandbox()));
        return new LaunchSpec(
                LaunchSpec.VERSION,
                request.sandbox().value(),
                RuntimeProgram.NONE,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.of(new LaunchSpec.Listen(files.socket().toString(), 0)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(child),
                Optional.of(files.console().toString()),
                Optional.of(files.pidFile().toString()));
    }

    static PauseSpec pause(SandboxId sandbox, ProcessSandboxHandle handle) {
        FirstProcess first = handle.first();
        return new PauseSpec(
                LaunchSpec.VERSION,
                sandbox.value(),
                first.pid(),
                first.startTime(),
                first.bootId(),
                Optional.empty(),
                Mark.of(sandbox),
                Optional.of(handle.stopped().toString()),
                PAUSE_DEADLINE.toMillis());
    }

    /** The disk is the sandbox's HOME, the working directory lies in it. */
    static Path workdir(StartRequest request) {
        return workdir(request.disk());
    }

    static Path workdir(Path disk) {
        return disk.resolve("workspace");
    }

    static StopSpec stop(StopRequest request) {
        RunFiles files = new RunFiles(request.runFolder(), request.folder());
        Optional<ProcessSandboxHandle> handle = request.handle().flatMap(ProcessSandboxHandle::understand);
        return new StopSpec(
                LaunchSpec.VERSION,
                request.sandbox().value(),
                RuntimeProgram.NONE,
                handle.map(known -> known.first().pid()).orElse(0),
                handle.map(known -> known.first().startTime()).orElse(0L),
                handle.map(known -> known.first().bootId()).orElse(""),
                Optional.empty(),
                Mark.of(request.sandbox()),
                Optional.empty(),
                Optional.of(files.socket().toString()),
                Optional.empty(),
                Optional.of(files.pidFile().toString()),
                Optional.empty(),
                STOP_DEADLINE.toMillis());
    }
}
