package dev.cortex.testkit.noop;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Capabilities;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The checklist "add a driver" followed to its end with nothing behind it: a sandbox is a file in its run folder, and
 * nobody answers in it. It needs no null object for what it lacks; it says so.
 */
public final class NoopDriver implements SandboxDriver {
    public static final String NAME = "noop";

    private static final Capabilities CAPABILITIES = new Capabilities("none: nothing runs in it", Set.of());

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Readiness check() {
        return new Readiness(Optional.empty(), List.of(), List.of("nothing runs in its sandboxes"));
    }

    @Override
    public Handle start(StartRequest request) {
        request.runtime().ifPresent(name -> {
            throw CortexException.of(
                    ErrorCode.UNSUPPORTED, "the driver noop has no runtime " + name, "leave the runtime out");
        });
        Path place = place(request.runFolder());
        try {
            Files.createFile(place);
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED, "the sandbox could not be made: " + place, "stop it first")
                    .because(e);
        }
        return new NoopHandle(place).write(request.sandbox());
    }

    /** From the request alone, so that stop needs no handle. */
    static Path place(Path runFolder) {
        return runFolder.resolve("sandbox");
    }

    @Override
    public Map<Handle, Observation> observe(Collection<Handle> handles) {
        Map<Handle, Observation> seen = new LinkedHashMap<>();
        for (Handle handle : handles) {
            seen.put(
                    handle,
                    NoopHandle.understand(handle)
                            .map(known -> Files.exists(known.place()) ? Observation.RUNNING : Observation.ABSENT)
                            .orElse(Observation.UNKNOWN));
        }
        return seen;
    }

    @Override
    public void stop(StopRequest request) {
        delete(place(request.runFolder()));
    }

    @Override
    public GuestStream dial(Handle handle) {
        throw CortexException.of(
                ErrorCode.GUEST_LOST,
                "sandbox " + handle.sandbox() + " cannot be reached: nobody is in it",
                "use another driver");
    }

    @Override
    public void wipeDisk(Path disk) {
        delete(disk);
    }

    @Override
    public long diskUsage(Path disk) {
        return 0;
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
