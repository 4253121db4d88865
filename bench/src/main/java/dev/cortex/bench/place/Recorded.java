package dev.cortex.bench.place;

import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The requests with which Cortex itself asks its launcher for a sandbox, one a runtime: from them the bare mechanism gets
 * the very same bundle. They are recorded from a real daemon, in an installation whose launcher is the recorder. Its home
 * stays until this is closed, because the requests name what lies in it.
 */
public final class Recorded implements AutoCloseable {
    private final Path bin;
    private final CortexDaemon daemon;

    private Recorded(Path bin, CortexDaemon daemon) {
        this.bin = bin;
        this.daemon = daemon;
    }

    static Recorded of(Checkout checkout, Path folder) throws IOException, InterruptedException {
        Path bin = Files.createDirectories(folder.resolve("out/bin"));
        for (String file : List.of("cortex", "scripts", "out/java-home", "out/version")) {
            Command.run(
                    "cp",
                    "-rp",
                    checkout.root().resolve(file).toString(),
                    folder.resolve(file).toString());
        }
        Files.createSymbolicLink(folder.resolve("out/lib"), checkout.out().resolve("lib"));
        Files.createSymbolicLink(folder.resolve("out/tools"), checkout.out().resolve("tools"));
        Command.run(
                "cp",
                "-p",
                checkout.out().resolve("bin/neuron").toString(),
                bin.resolve("neuron").toString());
        Command.run(
                "cp",
                "-p",
                checkout.out().resolve("bin/launcher").toString(),
                bin.resolve("launcher.real").toString());
        Command.run(
                "cp",
                "-p",
                checkout.bench("bare").toString(),
                bin.resolve("launcher").toString());
        Files.writeString(folder.resolve("out/stamp"), folder.toRealPath() + "\n");
        return new Recorded(bin, CortexDaemon.start(new Checkout(folder.toRealPath(), "recorder"), Map.of()));
    }

    /** The request of that runtime, as the bare mechanism reads it. */
    public Path request(String runtime) throws IOException {
        Path file = bin.resolve("start-" + runtime + ".json");
        if (!Files.exists(file)) {
            try (UnixHttp http = daemon.connect()) {
                CortexDaemon.create(http, "recorded-" + runtime, runtime);
                CortexDaemon.succeeded(http.post("/api/v1/sandboxes/recorded-" + runtime + "/stop", "{}"));
            }
        }
        return file;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        daemon.close();
    }
}
