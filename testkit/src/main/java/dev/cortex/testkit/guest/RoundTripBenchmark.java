package dev.cortex.testkit.guest;

import dev.cortex.guest.NeuronConnector;
import dev.cortex.sandbox.guest.Guest;
import dev.cortex.sandbox.guest.GuestIdentity;
import dev.cortex.sandbox.guest.GuestToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * The time of one call to a real neuron, from a virtual thread. Run it, with the class path of testkit, against
 * {@code out/bin/neuron serve --listen /tmp/n.sock --plain}:
 *
 * <pre>java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp … dev.cortex.testkit.guest.RoundTripBenchmark /tmp/n.sock</pre>
 */
public final class RoundTripBenchmark {
    private static final int WARM_UP = 20_000;
    private static final int CALLS = 20_000;
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private RoundTripBenchmark() {}

    public static void main(String[] arguments) throws InterruptedException {
        Guest guest = new NeuronConnector().connect(GuestSocket.dialer(Path.of(arguments[0])), GuestToken.NONE);
        Thread caller = Thread.ofVirtual().start(() -> measure(guest));
        caller.join();
        guest.close();
    }

    private static void measure(Guest guest) {
        long first = System.nanoTime();
        guest.info(DEADLINE);
        System.out.printf("first call, dial and class loading included: %.1f ms%n", (System.nanoTime() - first) / 1e6);
        guest.initialize(
                new GuestIdentity(
                        new GuestToken("ab".repeat(32)),
                        1,
                        "",
                        "",
                        List.of(),
                        new GuestIdentity.User("root", 0, 0, "/tmp"),
                        "/tmp",
                        0,
                        true,
                        false),
                DEADLINE);
        measure("ListSessions of none", guest::sessions);
        measure("Info, which reads /proc", () -> guest.info(DEADLINE));
    }

    private static void measure(String name, Runnable call) {
        for (int i = 0; i < WARM_UP; i++) {
            call.run();
        }
        long[] times = new long[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long begin = System.nanoTime();
            call.run();
            times[i] = System.nanoTime() - begin;
        }
        Arrays.sort(times);
        System.out.printf(
                "%s, warm, n = %d: p50 %.0f µs, p99 %.0f µs%n",
                name, CALLS, times[CALLS / 2] / 1e3, times[CALLS * 99 / 100] / 1e3);
    }
}
