package dev.cortex.drivers.launch;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Discovering;
import dev.cortex.sandbox.driver.Observation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Runs the launcher's verbs. Thread-safe. Every call is one process with one deadline; every error is a
 * {@link CortexException} with the launcher's own code, message and remedy.
 */
public final class Launcher {
    /** Ten times what the slowest verb takes on a busy machine; {@code import} and {@code wipe} have their own. */
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final Duration TREE_DEADLINE = Duration.ofMinutes(10);

    /** Images of tens of gigabytes from a slow disk; who does not want to wait interrupts. */
    private static final Duration IMPORT_DEADLINE = Duration.ofHours(6);

    private final Path program;
    private final Duration deadline;
    private final WaitingLaunchers waiting;

    public Launcher(Path program, Duration deadline) {
        this(program, deadline, WaitingLaunchers.none(program));
    }

    Launcher(Path program, Duration deadline, WaitingLaunchers waiting) {
        this.program = program;
        this.deadline = deadline;
        this.waiting = waiting;
    }

    public static Launcher of(Installation installation) {
        return new Launcher(installation.launcher(), DEADLINE);
    }

    /** @param waiting launchers that were started ahead, of the same installation */
    public static Launcher of(Installation installation, WaitingLaunchers waiting) {
        return new Launcher(installation.launcher(), DEADLINE, waiting);
    }

    public Started start(LaunchSpec spec) {
        try {
            return answer(starting(spec).orFail(), Started.class);
        } finally {
            // Only now: nobody waits for it.
            waiting.refill();
        }
    }

    private LauncherProcess.Ended starting(LaunchSpec spec) {
        byte[] request = LauncherJson.MAPPER.writeValueAsString(spec).getBytes(StandardCharsets.UTF_8);
        LauncherProcess launcher = new LauncherProcess(program, "start", List.of());
        return waiting.take()
                .map(process -> launcher.run(process, request, deadline))
                .orElseGet(() -> launcher.run(request, deadline));
    }

    /** @throws CortexException DRIVER_FAILED naming what still exists */
    public Stopped stop(StopSpec spec) {
        Stopped stopped = answer(call("stop", spec).orFailUnless("remaining"), Stopped.class);
        if (!stopped.remaining().isEmpty()) {
            throw leftover(stopped.remaining());
        }
        return stopped;
    }

    /** @throws CortexException UNSUPPORTED without a freezer, DRIVER_FAILED when it does not stand still */
    public void pause(PauseSpec spec) {
        call("pause", spec).orFail();
    }

    public void resume(PauseSpec spec) {
        call("resume", spec).orFail();
    }

    /** All in one call; {@code UNKNOWN} for each when the launcher cannot tell. */
    public Map<String, Observation> observe(List<ObserveSpec.Subject> subjects) {
        Map<String, Observation> seen = new LinkedHashMap<>();
        subjects.forEach(subject -> seen.put(subject.key(), Observation.UNKNOWN));
        if (subjects.isEmpty()) {
            return seen;
        }
        try {
            ObserveSpec spec = new ObserveSpec(LaunchSpec.VERSION, subjects);
            Observed observed = answer(call("observe", spec).orFail(), Observed.class);
            seen.replaceAll((key, unknown) -> observed.of(key));
        } catch (CortexException e) {
            // What could not be looked at is unknown, which is what the map says already.
            System.getLogger(Launcher.class.getName())
                    .log(System.Logger.Level.WARNING, () -> "observe failed: " + e.getMessage());
        }
        return seen;
    }

    /**
     * What exists under the names of a home.
     *
     * @param cgroupParent the group above those of the home's sandboxes, empty where there is none
     */
    public List<Discovering.Trace> discover(Discovering.Question question, String cgroupParent) {
        JsonNode seen =
                call("discover", DiscoverSpec.of(question, cgroupParent)).orFail();
        return answer(seen, Discovered.class).traces().stream()
                .map(Discovered.Seen::trace)
                .toList();
    }

    /** @param tools a folder with runtimes, which go before those in PATH */
    public Probed probe(Path tools) {
        return answer(
                run("probe", List.of("--tools", tools.toString()), "", deadline).orFail(), Probed.class);
    }

    /**
     * Deletes a folder, whoever owns what is in it; a missing one is no error.
     *
     * @param rootless its files belong to the caller's subordinate ids
     */
    public void wipe(Path folder, boolean rootless) {
        Wiped wiped =
                answer(run("wipe", onTree(rootless, folder), "", TREE_DEADLINE).orFailUnless("remaining"), Wiped.class);
        if (!wiped.remaining().isEmpty()) {
            throw leftover(wiped.remaining());
        }
    }

    /**
     * Bytes that a folder takes on its disk.
     *
     * @param rootless its files belong to the caller's subordinate ids
     */
    public long usage(Path folder, boolean rootless) {
        return answer(run("usage", onTree(rootless, folder), "", TREE_DEADLINE).orFail(), Used.class)
                .bytes();
    }

    /**
     * Takes an image into a home's folder of layers.
     *
     * @param rootless owners become the caller's subordinate ids
     * @param progress told while it goes on, a few times a second at most
     */
    public Imported takeImage(ImportSpec spec, boolean rootless, Consumer<ImportProgress> progress) {
        byte[] request = LauncherJson.MAPPER.writeValueAsString(spec).getBytes(StandardCharsets.UTF_8);
        LauncherProcess process = new LauncherProcess(program, "import", onTree(rootless));
        LauncherProcess.Ended ended = process.run(
                request, IMPORT_DEADLINE, line -> ImportProgress.read(line).ifPresent(progress));
        return answer(ended.orFail(), Imported.class);
    }

    /** Makes, mounts, grows or looks at a home's pool of disks. */
    public Pooled pool(PoolSpec spec) {
        return answer(call("pool", spec).orFail(), Pooled.class);
    }

    /** The disks in a pool's folder. */
    public DisksFound disks(Path folder) {
        return answer(run("disks", List.of(folder.toString()), "", deadline).orFail(), DisksFound.class);
    }

    /** Makes a disk, or sets its limit. */
    public void disk(DiskSpec spec) {
        call("disk", spec).orFail();
    }

    /** Does something with a copy of a folder on a disk; see {@link WorkspaceCopies}. */
    <T> T workspace(WorkspaceCopies.Spec spec, boolean rootless, Class<T> answer) {
        String request = LauncherJson.MAPPER.writeValueAsString(spec);
        return answer(run("workspace", onTree(rootless), request, TREE_DEADLINE).orFail(), answer);
    }

    private static List<String> onTree(boolean rootless, Path... paths) {
        List<String> arguments = new ArrayList<>();
        if (rootless) {
            arguments.add("--rootless");
        }
        for (Path path : paths) {
            arguments.add(path.toString());
        }
        return arguments;
    }

    private LauncherProcess.Ended call(String verb, Object request) {
        return run(verb, List.of(), LauncherJson.MAPPER.writeValueAsString(request), deadline);
    }

    private LauncherProcess.Ended run(String verb, List<String> arguments, String input, Duration within) {
        return new LauncherProcess(program, verb, arguments).run(input.getBytes(StandardCharsets.UTF_8), within);
    }

    private static <T> T answer(JsonNode answer, Class<T> type) {
        try {
            return LauncherJson.MAPPER.treeToValue(answer, type);
        } catch (JacksonException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "the launcher's answer was not understood",
                            "build the programs and the daemon from one source: ./dev build")
                    .because(e);
        }
    }

    private static CortexException leftover(List<Stopped.Remainder> remaining) {
        String names = remaining.stream().map(Stopped.Remainder::toString).collect(Collectors.joining(", "));
        return CortexException.of(
                ErrorCode.DRIVER_FAILED,
                "still there after removing everything: " + names,
                "try again; what stays is held by something outside Cortex");
    }

    private record Wiped(List<Stopped.Remainder> remaining) {}

    private record Used(long bytes) {}

    /** The error that a record of the launcher tells of, when it tells of one. */
    static Optional<CortexException> failure(JsonNode answer) {
        JsonNode error = answer.path("error");
        if (!error.isObject()) {
            return Optional.empty();
        }
        ErrorCode code = ErrorCode.named(error.path("code").asString("")).orElse(ErrorCode.DRIVER_FAILED);
        return Optional.of(CortexException.of(
                code,
                error.path("message").asString("the launcher failed"),
                error.path("remedy").asString("")));
    }
}
