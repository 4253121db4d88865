package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.Command;
import dev.cortex.bench.place.Grounds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The bare mechanism: Cortex's own bundle, started by the shortest shell-free code, the program as init. */
final class BareStart implements Contender {
    private final Grounds grounds;
    private final String runtime;
    private final Path request;
    private int count;

    private BareStart(Grounds grounds, String runtime, Path request) {
        this.grounds = grounds;
        this.runtime = runtime;
        this.request = request;
    }

    static BareStart open(Grounds grounds, String runtime) throws Exception {
        return new BareStart(grounds, runtime, grounds.recorded().request(runtime));
    }

    @Override
    public String name() {
        return "bare " + runtime;
    }

    @Override
    public double once() throws Exception {
        count++;
        return grounds.stopwatch()
                .time(words("run", "--", Echo.PROGRAM, Echo.WORD))
                .succeeded()
                .toFirstByte();
    }

    @Override
    public void after() throws Exception {
        Command.run(words("remove").toArray(String[]::new));
    }

    private List<String> words(String verb, String... program) {
        String id = String.format(Locale.ROOT, "sb_%026d", count);
        List<String> words =
                new ArrayList<>(List.of(grounds.checkout().bench("bare").toString(), verb, request.toString(), id));
        words.addAll(List.of(program));
        return words;
    }

    @Override
    public void close() {}
}
