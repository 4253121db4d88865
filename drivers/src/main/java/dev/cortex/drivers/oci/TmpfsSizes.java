package dev.cortex.drivers.oci;

/**
 * Sizes of the file systems in memory, in bytes. All of them together stay under the memory limit, so that a full one
 * is an error of the writer and not the end of the sandbox.
 */
record TmpfsSizes(long tmp, long shm, long run) {
    private static final long MIB = 1L << 20;

    /** /tmp: what the neuron's governor may grow it to when nothing limits memory. */
    private static final long TMP_WITHOUT_LIMIT = 2L << 30;

    /** What browsers and databases expect at least; container engines give 64 MiB, which is known to be too little. */
    private static final long SHM_MOST = 512 * MIB;

    private static final long RUN_MOST = 64 * MIB;

    /** @param memory the sandbox's limit in bytes, 0 for none */
    static TmpfsSizes under(long memory) {
        if (memory <= 0) {
            return new TmpfsSizes(TMP_WITHOUT_LIMIT, SHM_MOST, RUN_MOST);
        }
        long page = 4_096;
        return new TmpfsSizes(
                Math.max(memory / 2, page),
                Math.max(Math.min(memory / 4, SHM_MOST), page),
                Math.max(Math.min(memory / 8, RUN_MOST), page));
    }
}
