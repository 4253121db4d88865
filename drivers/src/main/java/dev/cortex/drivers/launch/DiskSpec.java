package dev.cortex.drivers.launch;

import java.util.List;

/**
 * A disk that the launcher makes where it is missing.
 *
 * @param subvolume it lies in a pool on btrfs
 * @param limitBytes 0: none
 * @param folders beneath it that are made as well
 */
public record DiskSpec(String path, boolean subvolume, long limitBytes, List<String> folders) {
    public DiskSpec {
        folders = List.copyOf(folders);
    }
}
