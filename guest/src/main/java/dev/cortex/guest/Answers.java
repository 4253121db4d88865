package dev.cortex.guest;

import com.google.protobuf.ByteString;
import dev.cortex.guest.pb.FileInfo;
import dev.cortex.guest.pb.InfoResponse;
import dev.cortex.guest.pb.ListResponse;
import dev.cortex.guest.pb.SessionInfo;
import dev.cortex.protocol.error.GuestError;
import dev.cortex.sandbox.guest.GuestFiles.FileEntry;
import dev.cortex.sandbox.guest.GuestFiles.FileListing;
import dev.cortex.sandbox.guest.GuestFiles.FileType;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.guest.SessionStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a guest answers, as the core's records. Whatever no honest neuron says is a {@link GuestFault}. */
final class Answers {
    /** The kernel's PATH_MAX is 4,096; what a listing puts before a name may add as much again. */
    private static final int PATH_BYTES = 16 << 10;

    /** The neuron shows the first 4 KiB of argv; its share of an empty argument is counted as one byte. */
    private static final int ARGV_BYTES = 16 << 10;

    private static final int ID_CHARACTERS = 128;
    private static final int NAME_CHARACTERS = 1_024;

    private Answers() {}

    static GuestInfo info(InfoResponse info) {
        return new GuestInfo(
                GuestError.clean(info.getVersion(), ID_CHARACTERS),
                info.getInitialized(),
                info.getReady(),
                count(info.getGeneration(), "generation"),
                count(info.getUptimeMs(), "uptime"),
                count(info.getMemoryUsedBytes(), "memory"),
                count(info.getMemoryLimitBytes(), "memory limit"),
                count(info.getDiskUsedBytes(), "disk"),
                count(info.getDiskTotalBytes(), "disk size"),
                Integer.toUnsignedLong(info.getProcesses()),
                Integer.toUnsignedLong(info.getSessionsRunning()),
                count(info.getSessionsStarted(), "sessions"));
    }

    /** @param id of the session that was asked for */
    static SessionStatus session(SessionInfo info, String id) {
        if (!info.getId().equals(id)) {
            throw new GuestFault("it tells of another session than " + id);
        }
        return session(info);
    }

    static SessionStatus session(SessionInfo info) {
        String id = info.getId();
        if (id.isEmpty() || !GuestError.clean(id, ID_CHARACTERS).equals(id)) {
            throw new GuestFault("a session's id is not one");
        }
        boolean running = info.getCauseValue() == 0;
        return new SessionStatus(
                id,
                count(info.getPid(), "pid"),
                arguments(info.getArgvList()),
                GuestError.clean(info.getUser(), NAME_CHARACTERS),
                info.getTerminal(),
                info.getBackground(),
                GuestError.clean(info.getLabel(), NAME_CHARACTERS),
                Instant.ofEpochMilli(info.getStartedMs()),
                running ? Optional.empty() : Optional.of(Instant.ofEpochMilli(info.getEndedMs())),
                running ? Optional.empty() : Optional.of(SessionStatus.Cause.of(info.getCauseValue())),
                info.getCode(),
                info.getOldest(),
                info.getNewest(),
                info.getEvicted(),
                info.getHeld(),
                count(info.getObservers(), "observers"),
                count(info.getDescendantsLeft(), "descendants"));
    }

    static List<SessionStatus> sessions(List<SessionInfo> infos) {
        List<SessionStatus> sessions = new ArrayList<>(infos.size());
        infos.forEach(info -> sessions.add(session(info)));
        return sessions;
    }

    static FileEntry file(FileInfo info) {
        return new FileEntry(
                path(info.getPath()),
                switch (info.getType()) {
                    case FILE_TYPE_REGULAR -> FileType.FILE;
                    case FILE_TYPE_DIRECTORY -> FileType.DIRECTORY;
                    case FILE_TYPE_SYMLINK -> FileType.SYMLINK;
                    default -> FileType.OTHER;
                },
                count(info.getSize(), "a file's size"),
                info.getMode() & 07777,
                info.getModifiedNs(),
                Integer.toUnsignedLong(info.getUid()),
                Integer.toUnsignedLong(info.getGid()),
                path(info.getLinkTarget()));
    }

    static FileListing listing(ListResponse response, int most) {
        if (response.getEntriesCount() > most) {
            throw new GuestFault(
                    "it lists " + response.getEntriesCount() + " entries where " + most + " were asked for");
        }
        List<FileEntry> entries = new ArrayList<>(response.getEntriesCount());
        response.getEntriesList().forEach(entry -> entries.add(file(entry)));
        return new FileListing(entries, response.getTruncated());
    }

    static byte[] path(ByteString path) {
        if (path.size() > PATH_BYTES) {
            throw new GuestFault("a path of " + path.size() + " bytes");
        }
        return path.toByteArray();
    }

    private static List<byte[]> arguments(List<ByteString> argv) {
        int bytes = 0;
        List<byte[]> arguments = new ArrayList<>(argv.size());
        for (ByteString argument : argv) {
            bytes += argument.size() + 1;
            if (bytes > ARGV_BYTES) {
                throw new GuestFault("an argv of more than " + ARGV_BYTES + " bytes");
            }
            arguments.add(argument.toByteArray());
        }
        return arguments;
    }

    static int count(int unsigned, String what) {
        if (unsigned < 0) {
            throw new GuestFault(what + " of " + Integer.toUnsignedString(unsigned));
        }
        return unsigned;
    }

    static long count(long unsigned, String what) {
        if (unsigned < 0) {
            throw new GuestFault(what + " of " + Long.toUnsignedString(unsigned));
        }
        return unsigned;
    }
}
