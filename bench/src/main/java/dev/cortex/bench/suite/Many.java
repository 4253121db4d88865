package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Length;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Progress;
import dev.cortex.bench.measure.Promise;
import dev.cortex.bench.measure.Series;
import dev.cortex.bench.measure.Unit;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import dev.cortex.bench.place.Memory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** 10, 100 and 1,000 idle sandboxes of one daemon, with crun. */
final class Many implements Measure {
    private static final String RUNTIME = "crun";
    private static final int LISTINGS = 50;
    private static final int EXECS = 100;

    private final Grounds grounds;

    Many(Grounds grounds) {
        this.grounds = grounds;
    }

    @Override
    public String id() {
        return "many";
    }

    @Override
    public String about() {
        return "10, 100 and 1,000 sandboxes: create (8 at once), cortex ls, memory of the daemon and of a sandbox";
    }

    @Override
    public List<Promise> promises() {
        return List.of(
                new Promise.AtMost("sandbox, private dirty after 100 execs", 8),
                new Promise.AtMost("daemon with 100", 150),
                new Promise.AtMost("daemon with 1,000", 300),
                new Promise.AtMost("cortex ls with 100", 120),
                new Promise.AtMost("cortex ls with 1,000", 120));
    }

    @Override
    public List<Series> run(Length length, Progress progress) throws Exception {
        List<Series> all = new ArrayList<>();
        int most = length.rounds(1_000, 100);
        try (CortexDaemon daemon = grounds.daemon(grounds.checkout(), Map.of())) {
            all.add(Series.of("daemon with none", Unit.MEGABYTES, Memory.resident(daemon.pid()) / 1e6));
            int there = 0;
            for (int number = 10; number <= most; number *= 10) {
                progress.at("creating up to " + number, there, most);
                all.add(Series.of(
                        "create up to " + grouped(number),
                        Unit.MILLISECONDS,
                        Lanes.each(
                                progress,
                                daemon,
                                there,
                                number,
                                (http, i) -> CortexDaemon.create(http, "n" + i, RUNTIME))));
                there = number;
                if (number == 10) {
                    progress.at("100 execs in each", there, most);
                    all.add(dirty(progress, daemon, number));
                }
                // What a create leaves for the collector and for threads to be given back is no idle daemon's.
                Thread.sleep(2_000);
                all.add(Series.of(
                        "daemon with " + grouped(number), Unit.MEGABYTES, Memory.resident(daemon.pid()) / 1e6));
                progress.at("cortex ls with " + number, there, most);
                all.add(listing(daemon, number));
            }
            progress.at("removing", there, most);
            all.add(Series.of(
                    "remove of " + grouped(there),
                    Unit.MILLISECONDS,
                    Lanes.each(progress, daemon, 0, there, (http, i) -> CortexDaemon.remove(http, "n" + i))));
        }
        return all;
    }

    private Series dirty(Progress progress, CortexDaemon daemon, int number) throws Exception {
        Lanes.each(progress, daemon, 0, number, (http, i) -> {
            for (int exec = 0; exec < EXECS; exec++) {
                CortexDaemon.exec(http, "n" + i, "true");
            }
        });
        // Threads of a burst are given back within seconds.
        Thread.sleep(12_000);
        double[] megabytes = new double[number];
        List<Long> neurons = neurons(daemon);
        if (neurons.size() != number) {
            throw new IOException(neurons.size() + " neurons of " + number + " sandboxes were found");
        }
        for (int i = 0; i < number; i++) {
            megabytes[i] = Memory.privateDirty(neurons.get(i)) / 1e6;
        }
        return Series.of("sandbox, private dirty after 100 execs", Unit.MEGABYTES, megabytes);
    }

    /** The processes in the control groups of a home's sandboxes: with crun an idle sandbox is its neuron alone. */
    private static List<Long> neurons(CortexDaemon daemon) throws IOException {
        List<String> ids;
        try (var folders = java.nio.file.Files.list(daemon.home().folder().resolve("sandboxes"))) {
            ids = folders.map(folder -> folder.getFileName().toString()).toList();
        }
        List<Long> found = new ArrayList<>();
        try (var processes = java.nio.file.Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                String groups = text(process.resolve("cgroup"));
                if (ids.stream().anyMatch(groups::contains)) {
                    found.add(Long.parseLong(process.getFileName().toString()));
                }
            }
        }
        return found;
    }

    private static String text(Path file) {
        try {
            return java.nio.file.Files.readString(file);
        } catch (IOException gone) {
            return "";
        }
    }

    private Series listing(CortexDaemon daemon, int number) throws IOException {
        double[] millis = new double[LISTINGS];
        for (int i = 0; i < LISTINGS; i++) {
            millis[i] = grounds.stopwatch()
                    .time(List.of(daemon.checkout().script().toString(), "ls"), daemon.environment(), "")
                    .succeeded()
                    .exitMillis();
        }
        return Series.of("cortex ls with " + grouped(number), Unit.MILLISECONDS, millis);
    }

    private static String grouped(int number) {
        return String.format(java.util.Locale.ROOT, "%,d", number);
    }
}
