package dev.cortex.sandbox.store;

import dev.cortex.protocol.wire.Frame.Tag;
import dev.cortex.sandbox.guest.SessionStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Sessions of stopped sandboxes: their statuses and what their rings held, in the sandbox's folder, until the record
 * goes. Everything in it came from a guest. Thread-safe; the output of one session is written by one thread.
 */
public interface SessionArchive {
    /** The last so many statuses stay; a neuron keeps as many. */
    int STATUSES = 1_000;

    /** Opens the output of one session for writing, replacing what there was. */
    Output write(Path folder, String session) throws IOException;

    /** Whether there is output of it: what could not be written whole is not there. */
    boolean hasOutput(Path folder, String session);

    /** Adds statuses, by id, to those that are kept; the oldest beyond {@link #STATUSES} go, with their output. */
    void save(Path folder, List<SessionStatus> statuses) throws IOException;

    /** All, oldest first; empty where nothing was saved. */
    List<SessionStatus> sessions(Path folder) throws IOException;

    /** Calls {@code to} with each record of output in order, until it answers false. */
    void read(Path folder, String session, Records to) throws IOException;

    /** Forgets one session. */
    void remove(Path folder, String session) throws IOException;

    default Optional<SessionStatus> session(Path folder, String id) throws IOException {
        return sessions(folder).stream().filter(s -> s.id().equals(id)).findFirst();
    }

    /** Where output goes. */
    interface Output extends AutoCloseable {
        void append(Tag tag, ByteBuffer bytes) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Gets records of output. */
    interface Records {
        boolean take(Tag tag, ByteBuffer bytes) throws IOException;
    }
}
