package dev.cortex.cli.http;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.protocol.error.CortexException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/** A request whose body is being sent. */
public final class Upload {
    private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] LINE_END = "\r\n".getBytes(StandardCharsets.ISO_8859_1);

    private final Daemon daemon;
    private final Connection connection;
    private final boolean chunked;

    Upload(Daemon daemon, Connection connection, boolean chunked) {
        this.daemon = daemon;
        this.connection = connection;
        this.chunked = chunked;
    }

    /**
     * @throws CortexException what the daemon says when it refuses the rest
     */
    public void write(ByteBuffer bytes) {
        if (!bytes.hasRemaining()) {
            return;
        }
        try {
            if (chunked) {
                String size = Integer.toHexString(bytes.remaining()) + "\r\n";
                connection.write(ByteBuffer.wrap(size.getBytes(StandardCharsets.ISO_8859_1)));
                connection.write(bytes);
                connection.write(ByteBuffer.wrap(LINE_END));
            } else {
                connection.write(bytes);
            }
        } catch (IOException e) {
            throw refused(e);
        }
    }

    /**
     * Sends bytes of a file without their passing through here; only where the length was told.
     *
     * @return how many, less than asked for only at the file's end
     * @throws CortexException what the daemon says when it refuses the rest
     */
    public long transfer(FileChannel file, long from, long bytes) {
        long sent = 0;
        try {
            while (sent < bytes) {
                long moved = file.transferTo(from + sent, bytes - sent, connection.channel());
                if (moved <= 0) {
                    break;
                }
                sent += moved;
            }
            return sent;
        } catch (IOException e) {
            throw refused(e);
        }
    }

    /** Ends the body and reads the answer. */
    public Json finish() {
        try {
            if (chunked) {
                connection.write(ByteBuffer.wrap(LAST_CHUNK));
            }
        } catch (IOException e) {
            throw refused(e);
        }
        try {
            Response response = connection.answer();
            daemon.requireSuccess(response);
            byte[] body = response.body();
            return body.length == 0 ? Json.ABSENT : JsonText.read(body);
        } catch (IOException e) {
            throw Daemon.lost(e);
        } finally {
            close();
        }
    }

    /** Breaks it off where it has not been finished; the target stays as it was. */
    public void close() {
        Daemon.close(connection);
    }

    private CortexException refused(IOException e) {
        try {
            Response response = connection.earlyAnswer(e);
            daemon.requireSuccess(response);
            return Daemon.lost(e);
        } catch (IOException lost) {
            return Daemon.lost(lost);
        } catch (CortexException theirs) {
            return theirs;
        } finally {
            close();
        }
    }
}
