package dev.cortex.engine.handler;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.store.SandboxRow;
import java.util.function.Supplier;

/** Says of a full disk what its sandbox may take, which nobody inside knows, and where to look. */
final class FullDisk {
    private FullDisk() {}

    static <T> T told(SandboxRow row, Supplier<T> work) {
        try {
            return work.get();
        } catch (CortexException e) {
            if (e.code() != ErrorCode.DISK_FULL) {
                throw e;
            }
            CortexException told = CortexException.of(e.code(), e.getMessage(), remedy(row));
            throw e.reason().map(told::because).orElse(told);
        }
    }

    private static String remedy(SandboxRow row) {
        long limit = row.settings().limits().diskBytes();
        if (limit == 0) {
            return "remove files there, or free space on this machine: cortex usage";
        }
        return "remove files there: the limit of " + row.name() + "'s disk is " + mebibytes(limit)
                + " MiB (cortex usage); a larger one: cortex rm " + row.name() + " && cortex create " + row.name()
                + " --disk " + mebibytes(2 * limit) + "M";
    }

    private static long mebibytes(long bytes) {
        return bytes >> 20;
    }
}
