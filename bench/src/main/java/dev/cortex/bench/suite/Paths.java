package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.Checkout;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Cortex's own ways through the suite, for whichever checkout, each with a daemon of its own. */
public final class Paths {
    private static final String RUNTIME = "crun";

    private final Grounds grounds;

    public Paths(Grounds grounds) {
        this.grounds = grounds;
    }

    public Contender exec(String name, Checkout checkout) throws Exception {
        return CortexExec.open(name, daemon(checkout), RUNTIME);
    }

    public Contender create(String name, Checkout checkout) throws Exception {
        return CortexCreate.cold(name, grounds, checkout, RUNTIME);
    }

    public Contender command(String name, Checkout checkout) throws Exception {
        return run(name, checkout, "exec", "box", "--", "true");
    }

    public Contender list(String name, Checkout checkout) throws Exception {
        return run(name, checkout, "ls");
    }

    public Contender stdout(String name, Checkout checkout) throws Exception {
        return CortexStdout.open(name, daemon(checkout), RUNTIME);
    }

    public Contender upload(String name, Checkout checkout) throws Exception {
        return CortexFile.open(name, true, new Shared<>(() -> Suite.withBox(daemon(checkout))));
    }

    public Contender download(String name, Checkout checkout) throws Exception {
        return CortexFile.open(name, false, new Shared<>(() -> Suite.withBox(daemon(checkout))));
    }

    public Contender ready(String name, Checkout checkout) throws Exception {
        return DaemonStart.ready(name, daemon(checkout));
    }

    private CortexDaemon daemon(Checkout checkout) throws Exception {
        return grounds.daemon(checkout, Map.of());
    }

    /** A whole run of the command {@code cortex}. */
    private Contender run(String name, Checkout checkout, String... words) throws Exception {
        CortexDaemon daemon = Suite.withBox(daemon(checkout));
        List<String> line = new ArrayList<>(List.of(checkout.script().toString()));
        line.addAll(List.of(words));
        return Timed.toEnd(name, grounds.stopwatch(), line).with(daemon.environment(), daemon::close);
    }
}
