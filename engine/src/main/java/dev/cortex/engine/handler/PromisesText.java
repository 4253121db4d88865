package dev.cortex.engine.handler;

import dev.cortex.protocol.api.Usage.Promised;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was promised, in words for a doctor. */
final class PromisesText {
    private PromisesText() {}

    static List<String> of(Promised promised) {
        List<String> notes = new ArrayList<>();
        if (promised.memoryBytes() > 0 || promised.memoryUnlimited() > 0) {
            notes.add("memory: running sandboxes may take "
                    + words(promised.memoryBytes(), promised.memoryTimes(), promised.memoryUnlimited())
                    + " of this machine's");
        }
        if (promised.diskBytes() > 0 || promised.disksUnlimited() > 0) {
            notes.add("disk: disks may take "
                    + words(promised.diskBytes(), promised.diskTimes(), promised.disksUnlimited())
                    + " of what there is");
        }
        return notes;
    }

    private static String words(long bytes, double times, int unlimited) {
        return String.format(Locale.ROOT, "%.1f GiB, %.2f times", bytes / (double) (1L << 30), times)
                + (unlimited > 0 ? " (and " + unlimited + " without a limit)," : "");
    }
}
