package dev.cortex.daemon.http;

import dev.cortex.daemon.metrics.Metrics;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Serves a table of operations on a Unix socket and, where its port is free, on loopback. */
public final class HttpSurface implements AutoCloseable {
    /** How long a connection may be silent between two requests. */
    private static final Duration KEEP_ALIVE = Duration.ofMinutes(5);

    /** Acceptors and selectors only: requests run on virtual threads. */
    private static final int THREADS = 10;

    /** One read of the socket. The largest that Jetty's pool keeps: a larger one would be allocated for each read. */
    private static final int INPUT_BYTES = 64 << 10;

    private static final Duration STOP_WITHIN = Duration.ofSeconds(2);

    private final Server server = new Server(new QueuedThreadPool(THREADS, 1));
    private final Duration keepAlive;
    private Optional<TcpConnector> tcp = Optional.empty();

    /**
     * @param token of the home, for TCP
     * @param version of this build, on every answer
     * @param metrics where requests and clients are counted, and what shows it
     */
    public HttpSurface(OperationTable table, String token, String version, Metrics metrics) {
        this(table, token, version, metrics, KEEP_ALIVE);
    }

    HttpSurface(OperationTable table, String token, String version, Metrics metrics, Duration keepAlive) {
        this.keepAlive = keepAlive;
        server.setStopTimeout(STOP_WITHIN.toMillis());
        Json json = new Json();
        server.setHandler(new Dispatcher(table, new Gate(token), version, json, metrics));
        server.setErrorHandler(new ProblemPages(json));
    }

    /**
     * Serves. A stale socket is replaced: the caller owns the home.
     *
     * @param port of loopback; 0 takes a free one
     * @param portRequired whether a port that is taken is an error
     * @throws CortexException NOT_READY when the socket cannot be bound, or the required port is taken
     */
    public void start(Path socket, int port, boolean portRequired) {
        try {
            Files.deleteIfExists(socket);
            server.addConnector(new UnixConnector(server, socket, http(), keepAlive));
            openTcp(port, portRequired);
            server.start();
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        } catch (CortexException e) {
            throw e;
        } catch (Exception e) {
            throw CortexException.of(
                            ErrorCode.NOT_READY,
                            "cannot serve on " + socket,
                            "check the folder's owner and free space, or set XDG_RUNTIME_DIR to another")
                    .because(e);
        }
    }

    private void openTcp(int port, boolean required) {
        TcpConnector connector = new TcpConnector(server, port, http(), keepAlive);
        try {
            connector.open();
            server.addConnector(connector);
            tcp = Optional.of(connector);
        } catch (IOException e) {
            connector.close();
            if (required) {
                throw CortexException.of(
                                ErrorCode.NOT_READY,
                                "port " + port + " is taken",
                                "choose another with --port, or leave it out to serve the socket alone")
                        .because(e);
            }
        }
    }

    private static HttpConnectionFactory http() {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendDateHeader(false);
        configuration.setOutputBufferSize(64 << 10);
        configuration.setOutputAggregationSize(8 << 10);
        configuration.setUriCompliance(UriCompliance.DEFAULT);
        configuration.setHttpCompliance(HttpCompliance.RFC9110);
        HttpConnectionFactory factory = new HttpConnectionFactory(configuration);
        factory.setInputBufferSize(INPUT_BYTES);
        return factory;
    }

    /** The port on loopback; empty where the socket is served alone. */
    public Optional<Integer> port() {
        return tcp.map(TcpConnector::getLocalPort);
    }

    /** Stops serving; connections are closed. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("stopping the HTTP surface", e);
        }
    }
}
