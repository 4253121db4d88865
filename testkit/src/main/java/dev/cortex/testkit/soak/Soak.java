package dev.cortex.testkit.soak;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Clients that create, exec, kill and remove at full speed against a daemon, and what is left of it afterwards. The
 * footprint before is taken behind a first burst of all of them, when the daemon has the threads and the heap that it
 * works with.
 */
public final class Soak {
    /** How long a client's turn, cut off or not, may last beyond the end. */
    private static final Duration LAST_TURN = Duration.ofMinutes(2);

    /** The kernel and the daemon need a moment to notice that something has gone. */
    private static final Duration SETTLING = Duration.ofSeconds(30);

    private static final Duration BURST = Duration.ofSeconds(8);

    private final Home home;
    private final long pid;
    private final String runtime;
    private final int clients;

    /** @param pid the daemon's */
    public Soak(Home home, long pid, String runtime, int clients) {
        this.home = home;
        this.pid = pid;
        this.runtime = runtime;
        this.clients = clients;
    }

    /** @param leaks in words; empty when nothing leaked */
    public record Result(Laps laps, Faults faults, Footprint before, Footprint after, List<String> leaks) {
        public Result {
            leaks = List.copyOf(leaks);
        }
    }

    /** @param tick told each second how many seconds have passed */
    public Result run(Duration length, LongConsumer tick) throws IOException, InterruptedException {
        Faults faults = new Faults();
        drive("w", BURST, new Laps(), faults, seconds -> {});
        Footprint before = settled();
        Laps laps = new Laps();
        drive("c", length, laps, faults, tick);
        Footprint after = Footprint.of(home, pid);
        long end = System.nanoTime() + SETTLING.toNanos();
        while (!after.leakedSince(before).isEmpty() && System.nanoTime() < end) {
            Thread.sleep(500);
            after = Footprint.of(home, pid);
        }
        return new Result(laps, faults, before, after, after.leakedSince(before));
    }

    /** The first look at which nothing of a sandbox is there any more, or the last one. */
    private Footprint settled() throws IOException, InterruptedException {
        Footprint now = Footprint.of(home, pid);
        long end = System.nanoTime() + SETTLING.toNanos();
        while (now.processes() + now.groups() > 0 && System.nanoTime() < end) {
            Thread.sleep(200);
            now = Footprint.of(home, pid);
        }
        return now;
    }

    private void drive(String prefix, Duration length, Laps laps, Faults faults, LongConsumer tick)
            throws InterruptedException {
        long begin = System.nanoTime();
        long end = begin + length.toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            threads.add(Thread.ofPlatform()
                    .name("soak-" + client)
                    .daemon()
                    .start(new SoakClient(
                            home, runtime, prefix + client, () -> System.nanoTime() < end, laps, faults)));
        }
        while (System.nanoTime() < end) {
            Thread.sleep(1_000);
            tick.accept((System.nanoTime() - begin) / 1_000_000_000L);
        }
        for (Thread thread : threads) {
            if (!thread.join(LAST_TURN)) {
                faults.untyped(thread.getName() + " hangs in " + thread.getStackTrace()[0]);
                thread.interrupt();
            }
        }
    }
}
