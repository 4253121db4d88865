package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.guest.GuestEvent;
import dev.cortex.sandbox.guest.GuestTunnel;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One connection that a rule allows, from the lookup of its name to its last byte. */
final class Connection {
    /** Of one address; a program waits for all of them. */
    private static final Duration CONNECT = Duration.ofSeconds(8);

    /** More of a name's addresses are not tried. */
    private static final int ADDRESSES = 4;

    private final String sandbox;
    private final GuestEvent.Connect asked;
    private final Host host;
    private final List<Closeable> open = new ArrayList<>();
    private boolean cut;
    private boolean withdrawn;
    private volatile Optional<Chosen> chosen = Optional.empty();

    /** An address that may be dialled, and the rule that says so. */
    record Chosen(InetAddress address, AddressKind kind, EgressRule rule) {}

    /** @param sandbox its name, for remedies */
    Connection(String sandbox, GuestEvent.Connect asked, Host host) {
        this.sandbox = sandbox;
        this.asked = asked;
        this.host = host;
    }

    GuestEvent.Connect asked() {
        return asked;
    }

    Host host() {
        return host;
    }

    /** Ends it wherever it is: a lookup's result is not used, a socket is closed. */
    void cut() {
        List<Closeable> closing;
        synchronized (this) {
            cut = true;
            closing = List.copyOf(open);
            open.clear();
        }
        closing.forEach(Connection::close);
    }

    /** Nobody inside waits for it any more. */
    void withdraw() {
        synchronized (this) {
            withdrawn = true;
        }
        cut();
    }

    synchronized boolean isWithdrawn() {
        return withdrawn;
    }

    synchronized boolean isCut() {
        return cut;
    }

    /** Whether other rules allow what it is, or is about to become. */
    boolean allowedBy(Policy policy) {
        List<EgressRule> rules = policy.allowing(host, asked.port());
        return chosen.map(now -> rules.stream().anyMatch(rule -> rule.permits(now.kind())))
                .orElse(!rules.isEmpty());
    }

    /** Which rule let it out; empty before that. */
    Optional<EgressRule> rule() {
        return chosen.map(Chosen::rule);
    }

    /**
     * Finds the addresses that a rule permits.
     *
     * @throws CortexException DENIED when it has others only
     */
    List<Chosen> permitted(List<EgressRule> rules, List<InetAddress> addresses, Surroundings surroundings) {
        List<Chosen> permitted = new ArrayList<>();
        for (InetAddress address : addresses.stream().limit(ADDRESSES).toList()) {
            AddressKind kind = surroundings.kindOf(address);
            rules.stream()
                    .filter(rule -> rule.permits(kind))
                    .findFirst()
                    .ifPresent(rule -> permitted.add(new Chosen(address, kind, rule)));
        }
        if (permitted.isEmpty()) {
            InetAddress first = addresses.getFirst();
            throw Denial.ofAddress(sandbox, host, asked.port(), first, surroundings.kindOf(first));
        }
        return permitted;
    }

    /** Connects to exactly one of the addresses that were checked. */
    SocketChannel dial(List<Chosen> addresses) {
        IOException failure = new IOException("it has no address");
        for (Chosen address : addresses) {
            chosen = Optional.of(address);
            try {
                return dial(address.address());
            } catch (IOException e) {
                if (isCut()) {
                    throw cancelled();
                }
                failure = e;
            }
        }
        boolean late = failure instanceof SocketTimeoutException;
        throw CortexException.of(
                        late ? ErrorCode.DEADLINE : ErrorCode.UNREACHABLE,
                        RuleText.allowing(host, asked.port()) + (late ? " does not answer" : ": " + words(failure)),
                        "")
                .because(failure);
    }

    private static String words(IOException failure) {
        return String.valueOf(failure.getMessage()).toLowerCase(java.util.Locale.ROOT);
    }

    private SocketChannel dial(InetAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open();
        hold(channel);
        boolean connected = false;
        try {
            channel.socket().connect(new InetSocketAddress(address, asked.port()), (int) CONNECT.toMillis());
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            connected = true;
            return channel;
        } finally {
            if (!connected) {
                letGo(channel);
            }
        }
    }

    /** Passes bytes until the end. */
    void carry(GuestTunnel tunnel, SocketChannel remote, Buffers buffers, Totals totals) {
        hold(tunnel::close);
        totals.opened();
        try {
            new Splice(tunnel, remote, buffers, totals).run();
        } catch (IOException e) {
            // One of its ends broke, or it was cut; the other has been told by a reset.
            System.getLogger("dev.cortex.perimeter").log(System.Logger.Level.DEBUG, host.text(), e);
        } finally {
            totals.closed();
        }
    }

    /** Closed with this connection, at once where that has been cut. */
    private void hold(Closeable resource) {
        synchronized (this) {
            if (!cut) {
                open.add(resource);
                return;
            }
        }
        close(resource);
        throw cancelled();
    }

    private void letGo(Closeable resource) {
        synchronized (this) {
            open.remove(resource);
        }
        close(resource);
    }

    static CortexException cancelled() {
        return CortexException.of(ErrorCode.CANCELLED, "nobody waits for it any more", "");
    }

    private static void close(Closeable resource) {
        try {
            resource.close();
        } catch (IOException e) {
            // It is of no use any more either way.
        }
    }
}
