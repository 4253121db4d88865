package dev.cortex.cli.copy;

import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Units;
import java.util.Optional;

/** How far a copy has come: one line on a terminal that moves, for whatever takes over a second; nothing elsewhere. */
public final class Progress {
    private static final long SECOND = 1_000_000_000L;
    private static final long BETWEEN = SECOND / 5;

    private final Output output;
    private final boolean shown;
    private final Optional<Long> total;
    private final long begun = System.nanoTime();
    private long bytes;
    private long last = begun;
    private boolean printed;

    Progress(Output output, boolean shown, Optional<Long> total) {
        this.output = output;
        this.shown = shown;
        this.total = total;
    }

    void add(long more) {
        bytes += more;
        if (!shown) {
            return;
        }
        long now = System.nanoTime();
        if (now - begun > SECOND && now - last > BETWEEN) {
            last = now;
            printed = true;
            output.write("\r" + line(bytes, total, now - begun) + "\u001b[K");
        }
    }

    /** Takes the line away. */
    void end() {
        if (printed) {
            output.write("\r\u001b[K");
            printed = false;
        }
    }

    long bytes() {
        return bytes;
    }

    /** Bytes, of how many, how fast, how long still. */
    public static String line(long bytes, Optional<Long> total, long nanos) {
        double seconds = nanos / 1e9;
        double rate = bytes / seconds;
        StringBuilder line = new StringBuilder(Units.size(bytes));
        if (total.isPresent()) {
            line.append(" of ").append(Units.size(total.get()));
        }
        line.append("  ").append(Units.size(Math.round(rate))).append("/s");
        if (total.isPresent() && rate > 0 && total.get() > bytes) {
            line.append("  ").append(Math.round((total.get() - bytes) / rate)).append(" s left");
        }
        return line.toString();
    }
}
