package dev.cortex.daemon.http;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.concurrent.Executor;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The home's socket, for its owner alone. The run folder's mode keeps others out already; the kernel's word on who
 * connected holds even where that folder was made by somebody else.
 */
final class UnixConnector extends UnixDomainServerConnector {
    private final UserPrincipal owner;

    UnixConnector(Server server, Path socket, ConnectionFactory http, Duration keepAlive) throws IOException {
        super(server, 1, 1, http);
        owner = Files.getOwner(Path.of("/proc/self"));
        setUnixDomainPath(socket);
        setAcceptQueueSize(ACCEPT_QUEUE);
        setIdleTimeout(keepAlive.toMillis());
    }

    /** A hundred clients that start at once find a place; connecting to a full queue fails at once. */
    private static final int ACCEPT_QUEUE = 4_096;

    @Override
    protected SelectorManager newSelectorManager(Executor executor, Scheduler scheduler, int selectors) {
        return new Selectors(executor, scheduler, selectors);
    }

    private final class Selectors extends SelectorManager {
        Selectors(Executor executor, Scheduler scheduler, int selectors) {
            super(executor, scheduler, selectors);
        }

        @Override
        protected EndPoint newEndPoint(SelectableChannel channel, ManagedSelector selector, SelectionKey key)
                throws IOException {
            SocketChannel socket = (SocketChannel) channel;
            UserPrincipal peer =
                    socket.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            if (!peer.equals(owner)) {
                throw new IOException("user " + peer.getName() + " is not the home's owner");
            }
            RawEndPoint endPoint = new RawEndPoint(socket, selector, key, getScheduler());
            endPoint.setIdleTimeout(getIdleTimeout());
            return endPoint;
        }

        @Override
        public Connection newConnection(SelectableChannel channel, EndPoint endPoint, Object attachment) {
            return getDefaultConnectionFactory().newConnection(UnixConnector.this, endPoint);
        }

        @Override
        protected void endPointOpened(EndPoint endPoint) {
            super.endPointOpened(endPoint);
            onEndPointOpened(endPoint);
        }

        @Override
        protected void endPointClosed(EndPoint endPoint) {
            onEndPointClosed(endPoint);
            super.endPointClosed(endPoint);
        }
    }
}
