package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Length;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Progress;
import dev.cortex.bench.measure.Promise;
import dev.cortex.bench.measure.Series;
import dev.cortex.bench.measure.Unit;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The daemon of 100 sandboxes is killed, and started again. */
final class Recovery implements Measure {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int SANDBOXES = 100;

    private final Grounds grounds;

    Recovery(Grounds grounds) {
        this.grounds = grounds;
    }

    @Override
    public String id() {
        return "recovery";
    }

    @Override
    public String about() {
        return "kill -9 of the daemon with 100 sandboxes: from its next start to a list that has them all running, and"
                + " to an exec";
    }

    @Override
    public List<Promise> promises() {
        return List.of(new Promise.AtMost("all listed as running", 2_000), new Promise.AtMost("exec answered", 2_000));
    }

    @Override
    public List<Series> run(Length length, Progress progress) throws Exception {
        int rounds = length.rounds(20, 3);
        double[] listed = new double[rounds];
        double[] answered = new double[rounds];
        try (CortexDaemon daemon = grounds.delivered()) {
            progress.at("creating", 0, rounds);
            Lanes.each(progress, daemon, 0, SANDBOXES, (http, i) -> CortexDaemon.create(http, "n" + i, "crun"));
            for (int round = 0; round < rounds; round++) {
                progress.at("killing", round, rounds);
                daemon.kill();
                long begin = System.nanoTime();
                daemon.restart();
                try (UnixHttp http = daemon.connect()) {
                    requireAll(CortexDaemon.succeeded(http.get("/api/v1/sandboxes"))
                            .text());
                    listed[round] = (System.nanoTime() - begin) / 1e6;
                    CortexDaemon.exec(http, "n" + round, "true");
                    answered[round] = (System.nanoTime() - begin) / 1e6;
                }
            }
            progress.at("removing", rounds, rounds);
            Lanes.each(progress, daemon, 0, SANDBOXES, (http, i) -> CortexDaemon.remove(http, "n" + i));
        }
        return List.of(
                Series.of("all listed as running", Unit.MILLISECONDS, listed),
                Series.of("exec answered", Unit.MILLISECONDS, answered));
    }

    private static void requireAll(String list) throws IOException {
        int running = 0;
        for (JsonNode sandbox : JSON.readTree(list).path("sandboxes")) {
            running += sandbox.path("state").asString("").equals("running") ? 1 : 0;
        }
        if (running != SANDBOXES) {
            throw new IOException(running + " of " + SANDBOXES + " sandboxes run after the kill");
        }
    }
}
