package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Entry;
import dev.cortex.bench.measure.Interleaved;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Promise;
import dev.cortex.bench.measure.Unit;
import dev.cortex.bench.place.Checkout;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import dev.cortex.testkit.http.UnixHttp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** All measures, with the promises of the design. */
public final class Suite {
    static final List<String> RUNTIMES = List.of("crun", "runc", "runsc");

    private final Grounds grounds;
    private final Checkout checkout;

    public Suite(Grounds grounds) {
        this.grounds = grounds;
        this.checkout = grounds.checkout();
    }

    public List<Measure> measures() {
        List<Measure> all = new ArrayList<>();
        all.add(create());
        all.add(exec());
        all.add(command());
        all.add(stdout());
        all.add(files("upload", true, "a file of 64 MiB into a sandbox over the API"));
        all.add(files("download", false, "a file of 64 MiB out of a sandbox over the API"));
        all.add(new TransferMemory(grounds));
        all.add(ready());
        all.add(idleMemory());
        all.add(new Many(grounds));
        all.add(new Recovery(grounds));
        all.addAll(new Network(grounds).measures());
        return all;
    }

    private Measure create() {
        List<Entry> entries = new ArrayList<>();
        List<Promise> promises = new ArrayList<>();
        for (String runtime : RUNTIMES) {
            entries.add(Entry.of("bare " + runtime, () -> BareStart.open(grounds, runtime)));
        }
        entries.add(Entry.of("bubblewrap", () -> Peers.bubblewrap(grounds)));
        entries.add(Entry.of("docker run", () -> Peers.dockerRun(grounds)).in(0.2));
        for (String runtime : RUNTIMES) {
            String name = "cortex " + runtime;
            entries.add(Entry.of(name, () -> CortexCreate.cold(name, grounds, checkout, runtime)));
        }
        if (checkout.knows("CORTEX_LAUNCHERS")) {
            entries.add(ahead("cortex crun, launcher waiting", "crun", "CORTEX_LAUNCHERS", 200));
            entries.add(ahead("cortex runsc, launcher waiting", "runsc", "CORTEX_LAUNCHERS", 200));
        }
        if (checkout.knows("CORTEX_POOL")) {
            entries.add(ahead("cortex crun, warm pool", "crun", "CORTEX_POOL", 400));
            promises.add(new Promise.AtMost("cortex crun, warm pool", 5));
        }
        promises.add(new Promise.AtMostTimes("cortex crun", "bare crun", 1.5));
        promises.add(new Promise.Faster("cortex crun", "docker run", 5));
        promises.add(new Promise.AtMostTimes("cortex runsc", "bare runsc", 1.3));
        return new Interleaved(
                "create",
                "create to first output: from the request, or the fork, to the first output of echo",
                Unit.MILLISECONDS,
                200,
                12,
                3,
                entries,
                promises);
    }

    /** @param pauseMillis until what was taken has been made again */
    private Entry ahead(String name, String runtime, String setting, long pauseMillis) {
        return Entry.of(name, () -> CortexCreate.ahead(name, grounds, runtime, Map.of(setting, "4"), pauseMillis));
    }

    private Measure exec() {
        List<Entry> entries = new ArrayList<>();
        List<Promise> promises = new ArrayList<>();
        for (String runtime : RUNTIMES) {
            String name = "cortex " + runtime;
            entries.add(Entry.of(name, () -> CortexExec.open(name, grounds.daemon(checkout, Map.of()), runtime)));
        }
        entries.add(Entry.of("docker exec API", () -> DockerExec.open(grounds.docker())));
        promises.add(new Promise.AtMost("cortex crun", 3));
        promises.add(new Promise.Faster("cortex crun", "docker exec API", 20));
        return new Interleaved(
                "exec",
                "true to its end in a running sandbox over the API, on a kept connection",
                Unit.MILLISECONDS,
                300,
                60,
                100,
                entries,
                promises);
    }

    private Measure command() {
        return new Interleaved(
                "command",
                "cortex exec NAME -- true from a shell's view: from fork to end",
                Unit.MILLISECONDS,
                200,
                20,
                3,
                List.of(
                        Entry.of("cortex exec", () -> new Paths(grounds).command("cortex exec", checkout)),
                        Entry.of("docker exec", () -> Peers.dockerExec(grounds))),
                List.of(new Promise.Faster("cortex exec", "docker exec", 1), new Promise.AtMost("cortex exec", 100)));
    }

    private Measure stdout() {
        return new Interleaved(
                "stdout",
                "128 MiB of stdout over the raw upgrade on the Unix socket",
                Unit.MEGABYTES_A_SECOND,
                200,
                20,
                5,
                List.of(
                        Entry.of("C relay", () -> RelayStdout.open(grounds)),
                        Entry.of(
                                "cortex crun",
                                () -> CortexStdout.open("cortex crun", grounds.daemon(checkout, Map.of()), "crun"))),
                List.of(new Promise.AtLeastShare("cortex crun", "C relay", 0.7)));
    }

    private Measure files(String id, boolean upload, String about) {
        Shared<CortexDaemon> daemon = new Shared<>(() -> withBox(grounds.daemon(checkout, Map.of())));
        return new Interleaved(
                id,
                about,
                Unit.MEGABYTES_A_SECOND,
                200,
                20,
                3,
                List.of(
                        Entry.of("cortex crun", () -> CortexFile.open("cortex crun", upload, daemon)),
                        Entry.of("cp through a pipe", () -> PipedCopy.open(upload, grounds, daemon))),
                List.of(new Promise.AtLeastShare("cortex crun", "cp through a pipe", 0.6)));
    }

    static CortexDaemon withBox(CortexDaemon daemon) throws Exception {
        try (UnixHttp http = daemon.connect()) {
            CortexDaemon.create(http, "box", "crun");
        }
        return daemon;
    }

    private Measure ready() {
        return new Interleaved(
                "ready",
                "cortex serve as users get it: from the start of its process to its first answer",
                Unit.MILLISECONDS,
                200,
                10,
                2,
                List.of(Entry.of("cortex serve", () -> DaemonStart.ready("cortex serve", grounds.delivered()))
                        .comparedFrom(10)),
                List.of(new Promise.AtMost("cortex serve", 500)));
    }

    private Measure idleMemory() {
        String cold = "cortex serve, nothing ahead";
        return new Interleaved(
                "idle-memory",
                "resident memory of a daemon without sandboxes, 3 s behind its start; without the processes that wait",
                Unit.MEGABYTES,
                5,
                1,
                0,
                List.of(
                        Entry.of("cortex serve", () -> DaemonStart.memory("cortex serve", grounds.delivered())),
                        Entry.of(cold, () -> DaemonStart.memory(cold, grounds.daemon(checkout, Map.of())))),
                List.of());
    }
}
