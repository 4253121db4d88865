package dev.cortex.drivers.oci;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.UUID;

/**
 * Host uids of sandboxes: 65,536 for each, so that an escape from one meets no file of another. The reserve is
 * 0x70000000 to 0x7FFDFFFF, which systemd's table of uid ranges leaves unused (its containers end below, its foreign
 * range begins above) and which is below 2^31, where old programs take a uid for negative. A home begins at a place of
 * its own, derived from its id; two homes of one machine may overlap, which costs the separation by uid between them
 * and nothing else. Disks are stored unshifted, so that a sandbox may have another range at its next start.
 */
final class UidReserve {
    static final long SIZE = 65_536;

    private static final long FIRST = 0x7000_0000L;
    private static final int SLOTS = 0x0FFE;

    private UidReserve() {}

    /**
     * The first host uid of a sandbox.
     *
     * @throws CortexException CAPACITY when the home has more sandboxes than the reserve has ranges
     */
    static long base(UUID home, int slot) {
        if (slot < 0 || slot >= SLOTS) {
            throw CortexException.of(
                    ErrorCode.CAPACITY,
                    "there are uid ranges for " + SLOTS + " sandboxes, this would be number " + slot,
                    "remove sandboxes: cortex ls --all");
        }
        long begin = Long.remainderUnsigned(home.getMostSignificantBits() ^ home.getLeastSignificantBits(), SLOTS);
        return FIRST + (begin + slot) % SLOTS * SIZE;
    }
}
