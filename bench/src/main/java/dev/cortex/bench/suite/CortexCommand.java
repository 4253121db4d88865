package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.Checkout;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import java.util.List;
import java.util.Map;

/** Whole runs of the command {@code cortex}. */
final class CortexCommand {
    private CortexCommand() {}

    static Contender exec(String name, Grounds grounds, Checkout checkout) throws Exception {
        CortexDaemon daemon = Suite.withBox(grounds.daemon(checkout, Map.of()));
        return Timed.toEnd(
                        name, grounds.stopwatch(), List.of(checkout.script().toString(), "exec", "box", "--", "true"))
                .with(daemon.environment(), daemon::close);
    }
}
