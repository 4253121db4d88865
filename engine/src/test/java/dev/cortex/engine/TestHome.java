package dev.cortex.engine;

import dev.cortex.drivers.launch.Installation;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A home in a temporary folder, with a run folder of its own; closing it removes every sandbox and both folders. */
final class TestHome implements AutoCloseable {
    private final Path folder;
    private final Home home;
    private final int spares;
    private Optional<Cortex> cortex = Optional.empty();

    TestHome() throws IOException {
        this(0);
    }

    /** @param spares a warm pool, which is full whenever the home has been opened */
    TestHome(int spares) throws IOException {
        this.spares = spares;
        this.folder = Files.createTempDirectory("ctx");
        this.home = new Home(folder.resolve("home"), folder.resolve("run/h"));
    }

    /** Its own tools are those that the build has made. */
    TestHome withTools() throws IOException {
        Files.createDirectories(home.folder());
        Files.createSymbolicLink(home.tools(), Installation.fromProperty().tools());
        return this;
    }

    Home home() {
        return home;
    }

    Cortex open() {
        return open(CortexOptions.at(home).withSpares(spares));
    }

    Cortex open(CortexOptions options) {
        Cortex opened = Cortex.open(options);
        cortex = Optional.of(opened);
        opened.sandboxes().spares().replenish();
        return opened;
    }

    /** As a daemon that ends: sandboxes run on. */
    Cortex reopen() throws InterruptedException {
        cortex.ifPresent(Cortex::close);
        Cortex again = open();
        if (!again.awaitRecovery(Duration.ofSeconds(30))) {
            throw new IllegalStateException("recovery hangs");
        }
        return again;
    }

    /** Processes whose environment or command line names this home, other than this one. */
    Map<Long, String> processes() throws IOException {
        Map<Long, String> found = new HashMap<>();
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            for (Path process :
                    all.filter(p -> p.getFileName().toString().matches("\\d+")).toList()) {
                long pid = Long.parseLong(process.getFileName().toString());
                if (pid != ProcessHandle.current().pid()
                        && read(process.resolve("environ"))
                                .contains(home.folder().toString())) {
                    found.put(pid, read(process.resolve("cmdline")).replace('\0', ' '));
                }
            }
        }
        return found;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        Cortex last = cortex.orElseGet(this::open);
        Lifecycle.SandboxList all = last.call(Operations.LIST, Map.of(), Map.of("all", "true"), Optional.empty());
        for (SandboxView sandbox : all.sandboxes()) {
            last.sandboxes().remove(sandbox.id(), true, true);
        }
        for (Lifecycle.KeptDisk disk : all.disks()) {
            last.sandboxes().remove(disk.name(), false, true);
        }
        last.close();
        new ProcessBuilder("rm", "-rf", folder.toString())
                .inheritIO()
                .start()
                .onExit()
                .join();
    }
}
