package dev.cortex.sandbox.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.terms.Egress;
import java.util.List;
import java.util.function.Consumer;

/**
 * Decides about every connection that a sandbox wants, and carries those that it allows. Everything that a sandbox says
 * to it is hostile: what one does costs the others nothing. Thread-safe.
 */
public interface Perimeter extends AutoCloseable {
    /**
     * The same terms, each rule once and in the one form in which it is shown.
     *
     * @throws CortexException INVALID_ARGUMENT with every problem
     */
    Egress normalised(Egress terms);

    /**
     * Takes the requests of a sandbox and answers them until its events end; blocks until then. When it returns all
     * connections of the sandbox are closed.
     *
     * @throws CortexException what opening the events throws
     */
    void attend(Outlet outlet);

    /** Other terms from now on. When it returns, connections that they do not allow are cut. */
    void replace(SandboxId sandbox, Egress terms);

    /** The latest decisions, oldest first; those of before a restart too. */
    List<Decision> decisions(DecisionLogFile file, int most);

    /** Calls {@code to} with each decision to come, on a thread of its own, until the result is closed. */
    AutoCloseable follow(SandboxId sandbox, Consumer<Decision> to);

    /** What it has done so far. */
    EgressTotals totals();

    /** Cuts everything. */
    @Override
    void close();
}
