package dev.cortex.drivers.launch;

import java.util.List;

/** The disks of a pool, as the launcher found them. */
public record DisksFound(List<Found> disks) {
    public DisksFound {
        disks = List.copyOf(disks);
    }

    /**
     * One disk.
     *
     * @param measured {@code bytes} and {@code limitBytes} are known
     */
    public record Found(String name, boolean measured, long bytes, long limitBytes) {}
}
