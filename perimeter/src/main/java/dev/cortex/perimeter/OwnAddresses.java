package dev.cortex.perimeter;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** This machine's addresses, looked up now and then. Thread-safe. */
final class OwnAddresses implements Supplier<Set<InetAddress>> {
    private static final Duration KEPT = Duration.ofSeconds(10);

    private record Seen(Set<InetAddress> addresses, long at) {}

    private volatile Seen seen = new Seen(Set.of(), System.nanoTime() - 2 * KEPT.toNanos());

    @Override
    public Set<InetAddress> get() {
        Seen last = seen;
        if (System.nanoTime() - last.at() < KEPT.toNanos()) {
            return last.addresses();
        }
        Seen now = new Seen(look(last), System.nanoTime());
        seen = now;
        return now.addresses();
    }

    private static Set<InetAddress> look(Seen last) {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .map(OwnAddresses::withoutZone)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            return last.addresses();
        }
    }

    private static InetAddress withoutZone(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? address : InetAddress.ofLiteral(text.substring(0, zone));
    }
}
