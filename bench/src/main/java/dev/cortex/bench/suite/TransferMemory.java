package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Length;
import dev.cortex.bench.measure.Measure;
import dev.cortex.bench.measure.Progress;
import dev.cortex.bench.measure.Promise;
import dev.cortex.bench.measure.Series;
import dev.cortex.bench.measure.Unit;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import dev.cortex.bench.place.Memory;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** What the daemon's memory does while a gigabyte goes through it each way. */
final class TransferMemory implements Measure {
    private static final long BYTES = 1L << 30;
    private static final String PATH = "/api/v1/sandboxes/box/files?path=/home/agent/large";

    /** What counts as flat: buffers of a transfer and what the heap has not yet given back. */
    private static final double FLAT_MEGABYTES = 16;

    private final Grounds grounds;

    TransferMemory(Grounds grounds) {
        this.grounds = grounds;
    }

    @Override
    public String id() {
        return "transfer-memory";
    }

    @Override
    public String about() {
        return "the daemon's resident memory while 1 GiB goes into a sandbox and out again, behind a transfer of 64 MiB";
    }

    @Override
    public List<Promise> promises() {
        return List.of(new Promise.AtMost("growth", FLAT_MEGABYTES));
    }

    @Override
    public List<Series> run(Length length, Progress progress) throws Exception {
        try (CortexDaemon daemon = Suite.withBox(grounds.daemon(grounds.checkout(), Map.of()));
                UnixHttp http = daemon.connect()) {
            ByteBuffer content = ByteBuffer.allocateDirect(256 << 10);
            CortexDaemon.succeeded(http.upload(PATH, content, Files.BYTES));
            http.download(PATH);
            long before = Memory.resident(daemon.pid());
            AtomicLong most = new AtomicLong(before);
            AtomicBoolean done = new AtomicBoolean();
            Thread watch = Thread.ofPlatform().start(() -> watch(daemon.pid(), most, done));
            try {
                progress.at("upload", 0, 2);
                CortexDaemon.succeeded(http.upload(PATH, content, BYTES));
                progress.at("download", 1, 2);
                http.download(PATH);
            } finally {
                done.set(true);
                watch.join();
            }
            return List.of(
                    Series.of("before", Unit.MEGABYTES, before / 1e6),
                    Series.of("most during", Unit.MEGABYTES, most.get() / 1e6),
                    Series.of("growth", Unit.MEGABYTES, (most.get() - before) / 1e6));
        }
    }

    private static void watch(long pid, AtomicLong most, AtomicBoolean done) {
        try {
            while (!done.get()) {
                most.accumulateAndGet(Memory.resident(pid), Math::max);
                Thread.sleep(10);
            }
        } catch (IOException | InterruptedException e) {
            // The daemon has gone; the transfer tells.
        }
    }
}
