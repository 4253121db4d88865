package dev.cortex.cli.http;

import dev.cortex.cli.host.Install;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.protocol.wire.FrameChannels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The daemon of a home, seen from a client. Starts it when none runs. Usable from several threads: each call has a
 * connection of its own, but for the one that the last call left open.
 */
public final class Daemon {
    /** For a call that nobody cancels. */
    public static final Consumer<Connection> SILENT = connection -> {};

    private final Home home;
    private final Install install;
    private final Consumer<String> notices;
    private Optional<Connection> idle = Optional.empty();
    private boolean versionChecked;

    /**
     * @param notices told what a person should know meanwhile, a line each
     */
    public Daemon(Home home, Install install, Consumer<String> notices) {
        this.home = home;
        this.install = install;
        this.notices = notices;
    }

    public Home home() {
        return home;
    }

    /** A frame channel with what the head of the answer said. */
    public record Upgraded(FrameChannel frames, Connection connection) {}

    /**
     * Makes a call and reads its answer.
     *
     * @throws CortexException the daemon's own error, or that it could not be reached
     */
    public Json call(Request request) {
        return call(request, SILENT);
    }

    /**
     * The same; {@code began} gets the connection before anything is sent, for whoever wants to cancel by closing it.
     *
     * @throws CortexException the daemon's own error, or that it could not be reached
     */
    public Json call(Request request, Consumer<Connection> began) {
        return call(request, take(), began);
    }

    /** The same on that connection. */
    public Json call(Request request, Connection connection, Consumer<Connection> began) {
        began.accept(connection);
        try {
            Response response = send(connection, request);
            requireSuccess(response);
            byte[] body = response.body();
            if (response.keepsAlive()) {
                keep(connection);
            } else {
                connection.close();
            }
            return body.length == 0 ? Json.ABSENT : JsonText.read(body);
        } catch (IOException e) {
            close(connection);
            throw lost(e);
        } catch (CortexException e) {
            close(connection);
            throw e;
        }
    }

    /** Makes a call whose answer is bytes; the caller reads them and closes the connection. */
    public Download download(Request request) {
        Connection connection = take();
        try {
            Response response = send(connection, request);
            requireSuccess(response);
            return new Download(connection, response);
        } catch (IOException e) {
            close(connection);
            throw lost(e);
        } catch (CortexException e) {
            close(connection);
            throw e;
        }
    }

    /** An answer's bytes as they come. */
    public record Download(Connection connection, Response response) {
        /**
         * Some more of them, valid until the next call; empty at the end.
         *
         * @throws CortexException when the daemon is lost meanwhile
         */
        public Optional<ByteBuffer> next() {
            try {
                return response.next();
            } catch (IOException e) {
                throw lost(e);
            }
        }

        public void close() {
            Daemon.close(connection);
        }
    }

    /** Begins a call whose request's body is bytes. The daemon can refuse before anything is sent. */
    public Upload upload(Request request, Optional<Long> length) {
        request.header("Expect", "100-continue").header("Content-Type", "application/octet-stream");
        if (length.isPresent()) {
            request.header("Content-Length", Long.toString(length.get()));
        } else {
            request.header("Transfer-Encoding", "chunked");
        }
        Connection connection = take();
        try {
            connection.begin(request);
            Response response = connection.anyAnswer();
            if (response.status() != Connection.CONTINUE) {
                requireSuccess(response);
                throw new IOException("the daemon answered before it had the bytes");
            }
            return new Upload(this, connection, length.isEmpty());
        } catch (IOException e) {
            close(connection);
            throw lost(e);
        } catch (CortexException e) {
            close(connection);
            throw e;
        }
    }

    /**
     * Makes a call that upgrades its connection to frames.
     *
     * @throws CortexException the daemon's own error
     * @throws IOException when the connection was lost before the answer, so that the result is unknown
     */
    public Upgraded upgrade(Request request, Connection connection) throws IOException {
        request.header("Connection", "Upgrade").header("Upgrade", Operations.FRAMES);
        try {
            Response response = send(connection, request);
            if (!response.isUpgraded()) {
                requireSuccess(response);
                throw new IOException("the daemon did not upgrade the connection");
            }
            return new Upgraded(FrameChannels.over(new UpgradedChannel(connection)), connection);
        } catch (IOException | CortexException e) {
            close(connection);
            throw e;
        }
    }

    /** A connection, the daemon started first when none runs. */
    public Connection connect() {
        Optional<Connection> existing = connectRunning();
        return existing.isPresent() ? existing.get() : new DaemonStart(home, install, notices).start();
    }

    /** A connection where a daemon runs; empty where none does. */
    public Optional<Connection> connectRunning() {
        Path socket = home.reachableSocket()
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.NOT_READY,
                        "the path of the daemon's socket is too long: " + home.socket(),
                        "set XDG_RUNTIME_DIR to a shorter path"));
        home.requireOwn();
        try {
            return Optional.of(Connection.to(socket));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether one serves at this moment; starts none. */
    public boolean isRunning() {
        Optional<Connection> connection = connectRunning();
        connection.ifPresent(Daemon::close);
        return connection.isPresent();
    }

    /** The connection that the last call left, or a new one. */
    public Connection take() {
        Optional<Connection> kept = takeIdle();
        return kept.isPresent() ? kept.get() : connect();
    }

    private synchronized Optional<Connection> takeIdle() {
        Optional<Connection> kept = idle;
        idle = Optional.empty();
        return kept;
    }

    private synchronized void keep(Connection connection) throws IOException {
        if (idle.isPresent()) {
            connection.close();
        } else {
            idle = Optional.of(connection);
        }
    }

    private Response send(Connection connection, Request request) throws IOException {
        Response response = connection.send(request);
        checkVersion(response);
        return response;
    }

    private void checkVersion(Response response) {
        if (versionChecked) {
            return;
        }
        versionChecked = true;
        String theirs = response.header(Operations.VERSION_HEADER).orElse("");
        String ours = install.version();
        if (!theirs.isEmpty() && !ours.isEmpty() && !theirs.equals(ours) && isNews(theirs + " " + ours)) {
            notices.accept("cortex: the daemon is version " + theirs + ", this command " + ours);
            notices.accept("  restart it, sandboxes go on: cortex serve --stop");
        }
    }

    /** Whoever works for hours beside a daemon of another version reads that once, not before each answer. */
    private boolean isNews(String versions) {
        Path told = home.folder().resolve("versions-told");
        try {
            if (Files.exists(told) && Files.readString(told).equals(versions)) {
                return false;
            }
            Files.writeString(told, versions);
        } catch (IOException e) {
            // Then it is told once more.
        }
        return true;
    }

    void requireSuccess(Response response) throws IOException {
        if (!response.isSuccess()) {
            throw Problem.of(response);
        }
    }

    static void close(Connection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            // Nobody uses it any more.
        }
    }

    /** That the answer did not come. */
    public static CortexException lost(IOException e) {
        return CortexException.of(
                        ErrorCode.INTERNAL,
                        "the connection to the daemon was lost, the result is unknown",
                        "see what happened: cortex ls        its log: daemon.log in the home folder")
                .because(e);
    }
}
