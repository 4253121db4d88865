package dev.cortex.sandbox.guest;

import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.List;
import java.util.function.Consumer;

/** Files in a sandbox. Paths are bytes; a relative one begins at the default working directory. */
public interface GuestFiles {
    FileEntry stat(GuestPath path, boolean follow);

    /** @param after page: continue behind this path, empty from the start */
    FileListing list(GuestPath path, int depth, int most, byte[] after);

    boolean makeDirectory(GuestPath path, boolean parents, int mode);

    void move(GuestPath from, GuestPath to, boolean replace);

    long remove(GuestPath path, boolean recursive);

    Resolved resolve(GuestPath path);

    /**
     * Replaces a file atomically ({@code offset} 0) or writes in place.
     *
     * @param mode permission bits; 0: 0644, or those of the file that is replaced
     */
    void write(GuestPath path, ReadableByteChannel from, long offset, int mode, boolean parents);

    /**
     * Streams a range of a regular file.
     *
     * @param length 0: to the end
     * @param begin told what is about to come, before the first byte
     */
    void read(GuestPath path, long offset, long length, Consumer<FileEntry> begin, WritableByteChannel to);

    /** Unpacks a tar beneath a folder, which is made where it is missing. */
    void unpack(GuestPath folder, ReadableByteChannel tar, boolean keepOwners);

    /** Packs a folder's entries, or one file, into a tar; {@code begin} is told what it is. */
    void pack(GuestPath path, Consumer<FileEntry> begin, WritableByteChannel to);

    /**
     * Watches a file, or a folder with its entries. What happens once this has returned is told; links are not followed,
     * but for one that {@code path} itself is.
     *
     * @param recursive all folders beneath it too, those that come later included
     */
    FileWatch watch(GuestPath path, boolean recursive);

    /** @param user whose rights; empty: the default user */
    record GuestPath(byte[] path, String user) {}

    enum FileType {
        FILE,
        DIRECTORY,
        SYMLINK,
        OTHER
    }

    /** @param modifiedNanos Unix time; @param target of a link, else empty */
    record FileEntry(
            byte[] path, FileType type, long size, int mode, long modifiedNanos, long uid, long gid, byte[] target) {}

    record FileListing(List<FileEntry> entries, boolean truncated) {}

    record Resolved(byte[] path, boolean exists) {}
}
