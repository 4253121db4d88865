package dev.cortex.testkit.fake;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Observation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** What outlives a core that dies: first processes, and the faults that the next calls meet. Thread-safe. */
public final class FakeMachine {
    private final Map<SandboxId, FakeNeuron> neurons = new ConcurrentHashMap<>();
    private final Map<SandboxId, String> names = new ConcurrentHashMap<>();
    private final AtomicInteger observations = new AtomicInteger();
    private final Map<Fault, String> faults = new ConcurrentHashMap<>();
    private final Queue<Observation> next = new ConcurrentLinkedQueue<>();
    private volatile Optional<Observation> observed = Optional.empty();

    /** A place where the machine fails until it is told otherwise. */
    public enum Fault {
        START,
        STOP,
        DIAL,
        INITIALIZE,
        NEVER_READY,
        WIPE,
        NOT_READY,
        PAUSE,
        RESUME,
        NAME
    }

    public void fail(Fault fault) {
        faults.put(fault, "injected: " + fault);
    }

    public void heal() {
        faults.clear();
        observed = Optional.empty();
    }

    /** Every observation says so until {@link #heal}. */
    public void observeAs(Observation observation) {
        observed = Optional.of(observation);
    }

    /** The next observations, one each, whatever is true. */
    public void observeNext(Observation... observations) {
        next.addAll(List.of(observations));
    }

    /** How often somebody has looked at one or more sandboxes. */
    public int observations() {
        return observations.get();
    }

    void looked() {
        observations.incrementAndGet();
    }

    /** Sandboxes whose first process lives. */
    public Set<SandboxId> alive() {
        return Set.copyOf(neurons.keySet());
    }

    /** Those of them that stand still. */
    public Set<SandboxId> frozen() {
        return neurons.entrySet().stream()
                .filter(entry -> entry.getValue().frozen())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** The first process dies, as by the host's out-of-memory killer. */
    public void kill(SandboxId id) {
        FakeNeuron neuron = neurons.remove(id);
        if (neuron != null) {
            neuron.die();
        }
    }

    /** Every stream to a neuron breaks; it lives on. */
    public void breakStreams(SandboxId id) {
        neuron(id).ifPresent(FakeNeuron::breakStreams);
    }

    /** What a sandbox calls itself; empty before it has a name. */
    public String hostname(SandboxId id) {
        return names.getOrDefault(id, "");
    }

    void name(SandboxId id, String hostname) {
        names.put(id, hostname);
    }

    public Optional<FakeNeuron> neuron(SandboxId id) {
        return Optional.ofNullable(neurons.get(id));
    }

    void freeze(SandboxId id, boolean still) {
        neuron(id)
                .orElseThrow(() -> CortexException.of(ErrorCode.NOT_FOUND, "its first process is gone", ""))
                .freeze(still);
    }

    boolean failing(Fault fault) {
        return faults.containsKey(fault);
    }

    void check(Fault fault, ErrorCode code) {
        String words = faults.get(fault);
        if (words != null) {
            throw CortexException.of(code, words, "heal the machine");
        }
    }

    void start(SandboxId id) {
        neurons.put(id, new FakeNeuron(this));
    }

    Observation observe(SandboxId id) {
        Observation scripted = next.poll();
        if (scripted != null) {
            return scripted;
        }
        return observed.orElseGet(() -> neuron(id)
                .map(neuron -> neuron.frozen() ? Observation.PAUSED : Observation.RUNNING)
                .orElse(Observation.ABSENT));
    }
}
