package dev.cortex.testkit.fake;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Capabilities;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.driver.GuestStream;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.Observation;
import dev.cortex.sandbox.driver.Pausing;
import dev.cortex.sandbox.driver.Preparing;
import dev.cortex.sandbox.driver.Readiness;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.testkit.fake.FakeMachine.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A driver of the {@link FakeMachine}. Leaves a file in each folder that it is given, as a real one does. */
public final class FakeDriver implements SandboxDriver, Pausing, Preparing {
    private final FakeMachine machine;
    private final String name;
    private final Set<Capability> capabilities;

    public FakeDriver(FakeMachine machine, String name, Capability... capabilities) {
        this.machine = machine;
        this.name = name;
        this.capabilities = Set.of(capabilities);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities("none: this is a fake", capabilities);
    }

    @Override
    public Readiness check() {
        List<Readiness.Missing> missing = machine.failing(Fault.NOT_READY)
                ? List.of(new Readiness.Missing("fakerun is missing", "apt-get install -y fakerun", true))
                : List.of();
        return new Readiness(Optional.of("fakerun"), missing, List.of());
    }

    @Override
    public Handle start(StartRequest request) {
        machine.check(Fault.START, ErrorCode.DRIVER_FAILED);
        for (Path folder : List.of(request.disk(), request.runFolder(), request.folder())) {
            write(folder.resolve("of-" + name), request.sandbox().value());
        }
        machine.start(request.sandbox());
        request.hostname().ifPresent(hostname -> machine.name(request.sandbox(), hostname));
        return new Handle(name, 1, request.sandbox(), "{}");
    }

    @Override
    public Map<Handle, Observation> observe(Collection<Handle> handles) {
        machine.looked();
        return handles.stream()
                .collect(Collectors.toMap(handle -> handle, handle -> machine.observe(handle.sandbox())));
    }

    @Override
    public boolean prepares(String runtime) {
        return capabilities.contains(Capability.ISOLATION);
    }

    @Override
    public void name(Handle handle, Path folder, String hostname) {
        machine.check(Fault.NAME, ErrorCode.DRIVER_FAILED);
        machine.name(handle.sandbox(), hostname);
    }

    @Override
    public void pause(Handle handle) {
        machine.check(Fault.PAUSE, ErrorCode.DRIVER_FAILED);
        machine.freeze(handle.sandbox(), true);
    }

    @Override
    public void resume(Handle handle) {
        machine.check(Fault.RESUME, ErrorCode.DRIVER_FAILED);
        machine.freeze(handle.sandbox(), false);
    }

    @Override
    public void stop(StopRequest request) {
        machine.check(Fault.STOP, ErrorCode.DRIVER_FAILED);
        machine.kill(request.sandbox());
    }

    @Override
    public GuestStream dial(Handle handle) {
        machine.check(Fault.DIAL, ErrorCode.GUEST_LOST);
        FakeNeuron neuron = machine.neuron(handle.sandbox())
                .orElseThrow(() -> CortexException.of(ErrorCode.GUEST_LOST, "nothing listens", "cortex inspect"));
        return new FakeStream(neuron);
    }

    @Override
    public void wipeDisk(Path disk) {
        machine.check(Fault.WIPE, ErrorCode.DRIVER_FAILED);
        if (!Files.exists(disk)) {
            return;
        }
        try (Stream<Path> all = Files.walk(disk)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long diskUsage(Path disk) {
        return Files.exists(disk) ? 4_096 : 0;
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
