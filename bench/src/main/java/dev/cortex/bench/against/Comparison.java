package dev.cortex.bench.against;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.measure.Entry;
import dev.cortex.bench.measure.Interleaved;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Promise;
import dev.cortex.bench.measure.Repeated;
import dev.cortex.bench.measure.Unit;
import dev.cortex.bench.place.Checkout;
import dev.cortex.bench.place.Grounds;
import dev.cortex.bench.suite.Paths;
import java.util.List;

/** The checkout beside another revision, daemon by daemon, in turns. */
public final class Comparison {
    /** Daemons are started anew so often. */
    private static final int TIMES = 3;

    private final Grounds grounds;
    private final Checkout here;
    private final Checkout other;

    public Comparison(Grounds grounds, Checkout other) {
        this.grounds = grounds;
        this.here = grounds.checkout();
        this.other = other;
    }

    /** Makes a contender of a checkout. */
    private interface Maker {
        Contender make(String name, Checkout checkout) throws Exception;
    }

    /** Floors are what nobody would notice, or what two builds of one source have been seen to differ by. */
    public List<Measure> measures() {
        Paths paths = new Paths(grounds);
        return List.of(
                measure("exec", "true over the API, crun", Unit.MILLISECONDS, 150, 40, 50, 0.3, paths::exec),
                measure("create", "create to first output, crun", Unit.MILLISECONDS, 40, 8, 5, 2, paths::create),
                measure("command", "cortex exec NAME -- true", Unit.MILLISECONDS, 40, 8, 3, 3, paths::command),
                measure("ls", "cortex ls of one sandbox", Unit.MILLISECONDS, 40, 8, 3, 3, paths::list),
                measure("stdout", "128 MiB of stdout", Unit.MEGABYTES_A_SECOND, 40, 8, 5, 50, paths::stdout),
                measure("upload", "64 MiB in", Unit.MEGABYTES_A_SECOND, 40, 8, 3, 50, paths::upload),
                measure("download", "64 MiB out", Unit.MEGABYTES_A_SECOND, 40, 8, 3, 50, paths::download),
                measure("ready", "start of the daemon", Unit.MILLISECONDS, 20, 7, 1, 15, paths::ready));
    }

    private Measure measure(
            String id, String about, Unit unit, int whole, int brief, int warmUps, double floor, Maker maker) {
        return new Repeated(
                new Interleaved(
                        id,
                        about,
                        unit,
                        whole,
                        brief,
                        warmUps,
                        List.of(entry(here, maker), entry(other, maker)),
                        List.of(new Promise.NoWorse(here.label(), other.label(), floor))),
                TIMES);
    }

    private static Entry entry(Checkout checkout, Maker maker) {
        return Entry.of(checkout.label(), () -> maker.make(checkout.label(), checkout));
    }
}
