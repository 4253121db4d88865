package dev.cortex.bench.report;

import dev.cortex.bench.measure.Progress;
import java.io.PrintStream;
import java.util.function.BooleanSupplier;

/** Progress on stderr: one line that is written over on a terminal, a line a measure elsewhere. */
public final class Ticker implements Progress {
    private static final long EVERY_NANOS = 200_000_000;
    private static final int WIDTH = 78;

    private final PrintStream err;
    private final boolean terminal;
    private final BooleanSupplier goesOn;
    private String measure = "";
    private long told;

    public Ticker(PrintStream err, boolean terminal, BooleanSupplier goesOn) {
        this.goesOn = goesOn;
        this.err = err;
        this.terminal = terminal;
    }

    public void begin(String id, int number, int all) {
        measure = "[" + number + "/" + all + "] " + id;
        told = 0;
        if (!terminal) {
            err.println("bench: " + measure);
        }
    }

    @Override
    public void at(String step, int done, int all) {
        long now = System.nanoTime();
        if (terminal && (told == 0 || now - told > EVERY_NANOS || done == all)) {
            told = now;
            show(measure + "  " + step + "  " + done + " of " + all);
        }
    }

    @Override
    public boolean goesOn() {
        return goesOn.getAsBoolean();
    }

    /** Takes the line away. */
    public void end() {
        if (terminal) {
            show("");
            err.print('\r');
            err.flush();
        }
    }

    private void show(String words) {
        String line = words.length() > WIDTH ? words.substring(0, WIDTH) : words;
        err.print("\r" + line + " ".repeat(WIDTH - line.length()));
        err.flush();
    }
}
