package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.perimeter.Decision;
import dev.cortex.sandbox.perimeter.DecisionLogFile;
import dev.cortex.sandbox.perimeter.EgressTotals;
import dev.cortex.sandbox.perimeter.Outlet;
import dev.cortex.sandbox.perimeter.Perimeter;
import dev.cortex.sandbox.terms.Egress;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The perimeter of this process: names are resolved, and connections made, by the machine that it runs on. */
public final class HostPerimeter implements Perimeter {
    /** Of all sandboxes. Each takes two threads and, while bytes flow, up to 140 KiB. */
    private static final int CONNECTIONS = 2_048;

    /** As many as a neuron asks for at once. */
    private static final int CONNECTIONS_OF_A_SANDBOX = 256;

    private final SandboxGate.Shared shared;
    private final Followers followers = new Followers();
    private final Map<SandboxId, SandboxGate> gates = new ConcurrentHashMap<>();

    public HostPerimeter(Clock clock) {
        this(new Surroundings(Resolver.system(), new OwnAddresses(), clock));
    }

    HostPerimeter(Surroundings surroundings) {
        this.shared = new SandboxGate.Shared(
                surroundings,
                new Lookups(surroundings.resolver()),
                new Budget(CONNECTIONS, CONNECTIONS_OF_A_SANDBOX),
                new Buffers(),
                new Totals());
    }

    @Override
    public Egress normalised(Egress terms) {
        return new Egress(Policy.of(terms).rules().stream()
                .map(EgressRule::text)
                .distinct()
                .toList());
    }

    @Override
    public void attend(Outlet outlet) {
        SandboxId sandbox = outlet.log().sandbox();
        DecisionLog log =
                new DecisionLog(outlet.log().folder(), shared.surroundings().clock(), decision -> {
                    followers.tell(sandbox, decision);
                    outlet.announce().accept(decision);
                });
        SandboxGate gate = new SandboxGate(outlet, new Policy(List.of()), shared, log);
        gates.put(sandbox, gate);
        try {
            // Only now: terms that are replaced meanwhile find the gate.
            gate.replace(Policy.of(outlet.terms().get()));
            gate.serve();
        } finally {
            gates.remove(sandbox, gate);
        }
    }

    @Override
    public void replace(SandboxId sandbox, Egress terms) {
        Policy policy = Policy.of(terms);
        Optional.ofNullable(gates.get(sandbox)).ifPresent(gate -> gate.replace(policy));
    }

    @Override
    public List<Decision> decisions(DecisionLogFile file, int most) {
        Optional.ofNullable(gates.get(file.sandbox()))
                .ifPresent(gate -> gate.log().flush());
        try {
            return new DecisionFile(file.folder()).last(most);
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.INTERNAL, "the egress log cannot be read", "see daemon.log")
                    .because(e);
        }
    }

    @Override
    public AutoCloseable follow(SandboxId sandbox, Consumer<Decision> to) {
        return followers.add(sandbox, to);
    }

    @Override
    public EgressTotals totals() {
        return shared.totals().now();
    }

    @Override
    public void close() {
        followers.close();
        shared.lookups().close();
    }
}
