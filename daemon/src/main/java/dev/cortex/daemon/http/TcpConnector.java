package dev.cortex.daemon.http;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Loopback, for whoever has the token. */
final class TcpConnector extends ServerConnector {
    TcpConnector(Server server, int port, ConnectionFactory http, Duration keepAlive) {
        super(server, 1, 1, http);
        setHost("127.0.0.1");
        setPort(port);
        setReuseAddress(true);
        setIdleTimeout(keepAlive.toMillis());
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        RawEndPoint endPoint = new RawEndPoint(channel, selector, key, getScheduler());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }
}
