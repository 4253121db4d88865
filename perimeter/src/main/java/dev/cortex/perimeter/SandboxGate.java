package dev.cortex.perimeter;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.guest.GuestEvent;
import dev.cortex.sandbox.guest.GuestEvents;
import dev.cortex.sandbox.guest.GuestTunnel;
import dev.cortex.sandbox.perimeter.Decision;
import dev.cortex.sandbox.perimeter.Decision.Verdict;
import dev.cortex.sandbox.perimeter.Outlet;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/**
 * The way out of one sandbox. One thread reads its requests and answers those that are refused by name; each allowed one
 * has threads of its own, of which there is a bounded number.
 */
final class SandboxGate {
    private static final int REQUESTS_PER_SECOND = 200;
    private static final int REQUESTS_AT_ONCE = 400;

    /** What all gates share. */
    record Shared(Surroundings surroundings, Lookups lookups, Budget budget, Buffers buffers, Totals totals) {}

    private final Outlet outlet;
    private final Shared shared;
    private final DecisionLog log;
    private final Map<Long, Connection> connections = new ConcurrentHashMap<>();
    private final Semaphore lookups = Lookups.share();
    private final Pace pace = new Pace(REQUESTS_PER_SECOND, REQUESTS_AT_ONCE);
    private volatile Policy policy;

    SandboxGate(Outlet outlet, Policy policy, Shared shared, DecisionLog log) {
        this.outlet = outlet;
        this.policy = policy;
        this.shared = shared;
        this.log = log;
    }

    DecisionLog log() {
        return log;
    }

    /** Serves until the sandbox's events end. */
    void serve() {
        try (GuestEvents events = outlet.guest().events()) {
            for (Optional<GuestEvent> next = events.next(); next.isPresent(); next = events.next()) {
                keepPace();
                switch (next.get()) {
                    case GuestEvent.Connect connect -> connect(connect, events);
                    case GuestEvent.Withdrawn withdrawn ->
                        Optional.ofNullable(connections.get(withdrawn.number())).ifPresent(Connection::withdraw);
                    case GuestEvent.Unknown unknown ->
                        events.refuse(
                                unknown.number(),
                                CortexException.of(
                                        ErrorCode.UNSUPPORTED,
                                        "this daemon knows no events of kind " + unknown.kind(),
                                        ""));
                }
            }
        } finally {
            cutAll();
            log.flush();
        }
    }

    /** A sandbox that asks for more is slowed by its own stream, which fills. */
    private void keepPace() {
        Duration wait = pace.next();
        if (!wait.isZero()) {
            try {
                Thread.sleep(wait);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Connection.cancelled();
            }
        }
    }

    private void connect(GuestEvent.Connect asked, GuestEvents events) {
        Host host;
        try {
            host = Host.parse(asked.host());
        } catch (CortexException e) {
            refuse(asked, events, asked.host(), Denial.ofNoHost(e));
            return;
        }
        if (policy.allowing(host, asked.port()).isEmpty()) {
            refuse(asked, events, host.text(), Denial.byDefault(outlet.name(), host, asked.port()));
            return;
        }
        Connection connection = new Connection(outlet.name(), asked, host);
        if (!shared.budget().take(connections.size())) {
            refuse(
                    asked,
                    events,
                    host.text(),
                    CortexException.of(
                            ErrorCode.CAPACITY,
                            "too many connections at once",
                            "close some, or try again in a moment"));
            return;
        }
        if (connections.putIfAbsent(asked.number(), connection) != null) {
            shared.budget().give();
            throw CortexException.of(ErrorCode.GUEST_LOST, "the guest asks twice by one number", "");
        }
        Thread.ofVirtual().name("egress").start(() -> {
            try {
                carry(connection, events);
            } finally {
                connections.remove(asked.number());
                shared.budget().give();
            }
        });
    }

    private void carry(Connection connection, GuestEvents events) {
        GuestEvent.Connect asked = connection.asked();
        try {
            // Those of now: whoever replaces them later finds this connection among the others.
            List<EgressRule> rules = policy.allowing(connection.host(), asked.port());
            if (rules.isEmpty()) {
                throw Denial.byDefault(outlet.name(), connection.host(), asked.port());
            }
            List<Connection.Chosen> addresses =
                    connection.permitted(rules, addresses(connection.host()), shared.surroundings());
            try (SocketChannel remote = connection.dial(addresses);
                    GuestTunnel tunnel = outlet.guest().tunnel(asked.number())) {
                say(connection, Verdict.ALLOW, "");
                connection.carry(tunnel, remote, shared.buffers(), shared.totals());
            }
        } catch (CortexException e) {
            if (connection.isWithdrawn()) {
                return;
            }
            if (connection.isCut()) {
                // Told as what it is by now; that it was cut is written down already.
                answer(asked, events, Denial.byDefault(outlet.name(), connection.host(), asked.port()));
            } else {
                refuse(asked, events, connection.host().text(), e);
            }
        } catch (java.io.IOException e) {
            // Closing a socket that is done with.
            System.getLogger("dev.cortex.perimeter").log(System.Logger.Level.DEBUG, "closing a connection", e);
        }
    }

    private List<InetAddress> addresses(Host host) {
        return switch (host) {
            case Host.Address(InetAddress address) -> List.of(address);
            case Host.Name name -> shared.lookups().addresses(name, lookups);
        };
    }

    private void refuse(GuestEvent.Connect asked, GuestEvents events, String host, CortexException why) {
        Verdict verdict = why.code() == ErrorCode.DENIED ? Verdict.DENY : Verdict.FAIL;
        String reason = verdict == Verdict.DENY ? why.reason().orElse(why.getMessage()) : why.getMessage();
        shared.totals().decided(verdict);
        log.add(decision(asked, verdict, host, "", reason, why.remedy().orElse("")));
        answer(asked, events, why);
    }

    private void answer(GuestEvent.Connect asked, GuestEvents events, CortexException why) {
        try {
            events.refuse(asked.number(), why);
        } catch (CortexException e) {
            // The reader of this stream finds out by itself.
            System.getLogger("dev.cortex.perimeter").log(System.Logger.Level.DEBUG, outlet.name(), e);
        }
    }

    private void say(Connection connection, Verdict verdict, String reason) {
        String rule = connection.rule().map(EgressRule::text).orElse("");
        shared.totals().decided(verdict);
        log.add(decision(connection.asked(), verdict, connection.host().text(), rule, reason, ""));
    }

    private Decision decision(
            GuestEvent.Connect asked, Verdict verdict, String host, String rule, String reason, String remedy) {
        return new Decision(
                shared.surroundings().clock().instant(),
                verdict,
                host,
                asked.port(),
                asked.via().name().toLowerCase(java.util.Locale.ROOT),
                asked.method(),
                rule,
                reason,
                remedy,
                asked.program(),
                asked.session(),
                1);
    }

    /** Other rules from now on; what they do not allow is cut. */
    void replace(Policy now) {
        policy = now;
        for (Connection connection : connections.values()) {
            if (!connection.allowedBy(now)) {
                connection.cut();
                say(connection, Verdict.CUT, "its rule was taken away");
            }
        }
    }

    private void cutAll() {
        connections.values().forEach(Connection::cut);
    }
}
