package dev.cortex.bench.suite;

import dev.cortex.bench.measure.Contender;
import dev.cortex.bench.place.Command;
import dev.cortex.bench.place.CortexDaemon;
import dev.cortex.bench.place.Grounds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code cp} through a pipe: in, from memory to the file system on which the sandbox's disk lies; out, from there to a
 * reader that drops it.
 */
final class PipedCopy implements Contender {
    private final boolean upload;
    private final Grounds grounds;
    private final Shared<CortexDaemon> daemon;
    private final Path source;
    private final Path target;

    private PipedCopy(boolean upload, Grounds grounds, Shared<CortexDaemon> daemon, Path source, Path target) {
        this.upload = upload;
        this.grounds = grounds;
        this.daemon = daemon;
        this.source = source;
        this.target = target;
    }

    static PipedCopy open(boolean upload, Grounds grounds, Shared<CortexDaemon> daemon) throws Exception {
        Path target = daemon.take().home().folder().resolve("disks").resolve(".bench-" + (upload ? "in" : "out"));
        Path source = java.nio.file.Files.createTempFile(Path.of("/dev/shm"), "cortex-bench", "");
        Command.run("truncate", "--size=" + Files.BYTES, source.toString());
        // Holes of the source are read as pages all the same once they are there.
        Command.run("dd", "if=/dev/zero", "of=" + source, "bs=1M", "count=" + (Files.BYTES >> 20), "status=none");
        Command.run("cp", source.toString(), target.toString());
        return new PipedCopy(upload, grounds, daemon, source, target);
    }

    @Override
    public String name() {
        return "cp through a pipe";
    }

    @Override
    public double once() throws Exception {
        List<String> words = upload
                ? List.of("sh", "-c", "cat \"$1\" | cp /dev/stdin \"$2\"", "sh", source.toString(), target.toString())
                : List.of("cp", target.toString(), "/dev/stdout");
        var lap = grounds.stopwatch().time(words).succeeded();
        if (!upload && lap.bytes() != Files.BYTES) {
            throw new IOException("the copy was not whole");
        }
        return Files.BYTES / 1e3 / lap.exitMillis();
    }

    @Override
    public void close() throws Exception {
        java.nio.file.Files.deleteIfExists(source);
        java.nio.file.Files.deleteIfExists(target);
        daemon.release();
    }
}
