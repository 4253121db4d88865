package dev.cortex.cli.forward;

import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Frame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Ports of one sandbox, each at a port of this machine. A connection here is one into the sandbox, made when it comes:
 * while the sandbox does not run it is refused, and the daemon is started again where none runs.
 */
public final class Forwarding {
    /** A daemon that ends closes connections that it had accepted; its successor takes the next. */
    private static final int ATTEMPTS = 5;

    private static final long PAUSE_MILLIS = 200;

    private final Daemon daemon;
    private final Output output;
    private final String sandbox;
    private final List<LocalPort> ports = new ArrayList<>();
    private final Map<Integer, String> troubles = new HashMap<>();
    private final BlockingQueue<CortexException> end = new ArrayBlockingQueue<>(1);

    public Forwarding(Daemon daemon, Output output, String sandbox) {
        this.daemon = daemon;
        this.output = output;
        this.sandbox = sandbox;
    }

    /** A port inside, and where it is here. */
    public record Listening(int inside, InetSocketAddress here) {
        /** As in {@code 127.0.0.1:8080}. */
        public String place() {
            String host = here.getAddress().getHostAddress();
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + here.getPort();
        }
    }

    /**
     * Listens here. All of them or none.
     *
     * @throws CortexException when one of the ports cannot be had
     */
    public List<Listening> listen(InetAddress address, List<PortPair> pairs) {
        List<Listening> listening = new ArrayList<>();
        for (PortPair pair : pairs) {
            LocalPort port = LocalPort.listen(address, pair);
            ports.add(port);
            listening.add(new Listening(pair.inside(), port.bound()));
        }
        return listening;
    }

    /**
     * Forwards until nothing can come any more.
     *
     * @return why that is
     */
    public CortexException run() {
        for (LocalPort port : ports) {
            Thread.ofVirtual().name("port-" + port.pair().inside()).start(() -> accept(port));
        }
        try {
            return end.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CortexException.of(ErrorCode.CANCELLED, "interrupted", "");
        }
    }

    private void accept(LocalPort port) {
        try (port) {
            port.accept(
                    client -> Thread.ofVirtual().start(() -> serve(port.pair().inside(), client)));
        } catch (IOException e) {
            end.offer(CortexException.of(
                            ErrorCode.INTERNAL,
                            "no more connections can be taken at port "
                                    + port.bound().getPort(),
                            "run it again")
                    .because(e));
        }
    }

    private void serve(int port, SocketChannel client) {
        try {
            Daemon.Upgraded upgraded = connect(port);
            recovered(port);
            Optional<Frame.Error> broke = new Tunnel(client, upgraded.frames()).run();
            if (broke.isPresent() && broke.get().code().equals(ErrorCode.GUEST_LOST.name())) {
                trouble(port, Printable.of(broke.get().message()), "");
            }
        } catch (CortexException e) {
            Tunnel.reset(client);
            if (e.code() == ErrorCode.NOT_FOUND) {
                end.offer(e);
            } else {
                trouble(port, e.getMessage(), e.remedy().orElse(""));
            }
        } catch (IOException e) {
            Tunnel.reset(client);
            trouble(port, "the daemon was lost, and open connections with it; new ones go on", "");
        }
    }

    private Daemon.Upgraded connect(int port) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                Request request = Request.of(Operations.FORWARD, sandbox).query("port", Integer.toString(port));
                return daemon.upgrade(request, daemon.connect());
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
            pause();
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Says it once, however many connections meet it. */
    private synchronized void trouble(int port, String words, String remedy) {
        if (words.equals(troubles.put(port, words))) {
            return;
        }
        output.say(output.redOnStderr("cortex:") + " port " + port + ": " + Printable.of(words));
        if (!remedy.isEmpty()) {
            output.say("  " + Printable.of(remedy));
        }
    }

    private synchronized void recovered(int port) {
        if (troubles.remove(port) != null) {
            output.say("cortex: port " + port + " of " + sandbox + " answers again");
        }
    }
}
