package dev.cortex.drivers.launch;

/**
 * Where a sandbox's copy of a folder lies on its disk.
 *
 * @param disk the sandbox's own folder on the host
 * @param folder the copy, relative to the disk
 * @param base what the copy was, relative to the disk and out of the sandbox's reach
 * @param owned how many last parts of {@code folder} belong to {@code uid} and {@code gid}, the others to root; 0:
 *     everything belongs to the caller
 * @param opaque the extended attribute by which the copy hides what an image has at its place; empty: there is none
 */
public record WorkspacePlace(String disk, String folder, String base, int owned, int uid, int gid, String opaque) {}
