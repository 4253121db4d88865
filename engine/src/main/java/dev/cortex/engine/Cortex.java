package dev.cortex.engine;

import dev.cortex.drivers.disk.HostPool;
import dev.cortex.drivers.launch.HostProbe;
import dev.cortex.drivers.launch.Installation;
import dev.cortex.drivers.launch.Launcher;
import dev.cortex.drivers.launch.WaitingLaunchers;
import dev.cortex.drivers.oci.OciDriver;
import dev.cortex.drivers.process.ProcessDriver;
import dev.cortex.engine.figure.HomeFigures;
import dev.cortex.engine.handler.Handlers;
import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.guest.NeuronConnector;
import dev.cortex.images.Images;
import dev.cortex.perimeter.HostPerimeter;
import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.cleanup.CleanupStack;
import dev.cortex.sandbox.disk.PoolState;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.figure.Figures;
import dev.cortex.sandbox.service.Folders;
import dev.cortex.sandbox.service.Orphans;
import dev.cortex.sandbox.service.Ports;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.spare.SpareSettings;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.storage.FileSessionArchive;
import dev.cortex.storage.SpaceReserve;
import dev.cortex.storage.SqliteStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A home that is open in this process: everything that the daemon has, as a library. Thread-safe. Closing it leaves its
 * sandboxes running; whoever opens the home next finds them.
 *
 * <pre>{@code
 * try (Cortex cortex = Cortex.open(Path.of("/var/lib/my-sandboxes"))) {
 *     try (Sandbox sandbox = cortex.create(CreateSandbox.defaults().named("api"))) {
 *         Exec.Result result = sandbox.exec("python3", "-c", "print(6*7)");
 *     }
 * }
 * }</pre>
 */
public final class Cortex implements AutoCloseable {
    /** {@code sb_} and 26 characters, the longest name in a sandbox's run folder. */
    private static final int SOCKET_TAIL = "/sb_01kb8q5v3mfxw4s6y2r9t7c1ah/n.sock".length();

    private final CleanupStack cleanup;
    private final SandboxService sandboxes;
    private final Handlers handlers;
    private final Figures figures;
    private final Home home;

    private Cortex(CleanupStack cleanup, Home home, SandboxService sandboxes, Handlers handlers) {
        this.cleanup = cleanup;
        this.home = home;
        this.sandboxes = sandboxes;
        this.handlers = handlers;
        this.figures = new HomeFigures(sandboxes);
    }

    /**
     * Opens the home in that folder, making it where it is missing, and begins to recover what a crash may have left.
     *
     * @throws CortexException OWNED_ELSEWHERE when a live process has it open, NOT_READY when it cannot be used
     */
    public static Cortex open(Path home) {
        return open(CortexOptions.at(Home.at(home)));
    }

    /** Opens a home; see {@link #open(Path)}. */
    public static Cortex open(CortexOptions options) {
        CleanupStack cleanup = new CleanupStack();
        try {
            return open(options, cleanup);
        } catch (RuntimeException e) {
            cleanup.unwind(e);
            throw e;
        } catch (IOException e) {
            CortexException failed = CortexException.of(
                            ErrorCode.NOT_READY,
                            "cannot open the home " + options.home().folder(),
                            "check that the folder is yours, or set CORTEX_HOME to another")
                    .because(e);
            cleanup.unwind(failed);
            throw failed;
        }
    }

    private static Cortex open(CortexOptions options, CleanupStack cleanup) throws IOException {
        Home home = options.home();
        requireShortRunFolder(home);
        home.makeFolder();
        SpaceReserve reserve = SqliteStore.reserveOf(home.database());
        HomeLock lock = locked(home, reserve);
        cleanup.push("lock", lock::close);
        home.makeRunFolder();
        cleanup.push("run folder", () -> deleteIfEmpty(home.runFolder()));
        SqliteStore store = SqliteStore.open(home.database(), reserve);
        cleanup.push("store", store::close);
        Installation installation = new Installation(options.installation());
        WaitingLaunchers waiting = new WaitingLaunchers(installation, options.launchers());
        cleanup.push("launchers", waiting::close);
        Launcher launcher = Launcher.of(installation, waiting);
        HostPool pool = new HostPool(home.folder(), options.disks(), launcher);
        cleanup.push("pool of disks", () -> {
            pool.close();
            if (nothingRuns(store)) {
                pool.unmount();
            }
        });
        pool.begin();
        Thread refilling = Thread.ofVirtual().name("space-reserve").start(reserve::refill);
        cleanup.push("space reserve", refilling::join);
        HostPerimeter perimeter = new HostPerimeter(options.clock());
        cleanup.push("perimeter", perimeter::close);
        Path imageFolder = home.folder().resolve("images");
        makePrivate(imageFolder);
        Images images = new Images(imageFolder, new LauncherImporter(launcher), store.images(), options.clock());
        Ports ports = new Ports(
                store,
                new FileSessionArchive(reserve),
                drivers(options, launcher, pool),
                new NeuronConnector(),
                images,
                perimeter,
                new Folders(home.folder(), home.runFolder()),
                pool,
                options.clock(),
                options.boot(),
                options.boundaries(),
                new SpareSettings(options.spares(), Build.of(options.installation())),
                new MachineRoom());
        SandboxService sandboxes = new SandboxService(ports);
        cleanup.push("sandboxes", sandboxes::close);
        // Nobody could use them before the next owner, who may be another build.
        cleanup.push("spares", () -> sandboxes.spares().drain());
        sandboxes.prepare(waiting::refill);
        Instant opened = options.clock().instant();
        Handlers handlers = new Handlers(
                sandboxes,
                images.library(),
                home,
                Version.of(options.installation()),
                opened,
                options.clock(),
                () -> imageBytes(launcher, imageFolder));
        return new Cortex(cleanup, home, sandboxes, handlers);
    }

    /** Who has no subordinate ids has no files of theirs. */
    private static long imageBytes(Launcher launcher, Path folder) {
        boolean others = Home.uid() != 0;
        try {
            return launcher.usage(folder, others);
        } catch (CortexException e) {
            if (others && e.code() == ErrorCode.NOT_READY) {
                return launcher.usage(folder, false);
            }
            throw e;
        }
    }

    /** Then nothing of the home stays on the machine outside its folder. */
    private static boolean nothingRuns(SandboxStore store) {
        return store.intents().isEmpty()
                && store.spares().all().isEmpty()
                && store.list("", Integer.MAX_VALUE).stream()
                        .noneMatch(row -> row.state() == State.RUNNING || row.state() == State.PAUSED);
    }

    /** Saying who owns a home takes a block of its disk, which may be full. */
    private static HomeLock locked(Home home, SpaceReserve reserve) throws IOException {
        try {
            return HomeLock.take(home);
        } catch (IOException e) {
            if (home.folder().toFile().getUsableSpace() == 0 && reserve.release()) {
                return HomeLock.take(home);
            }
            throw e;
        }
    }

    /** Which drivers are ready on this machine, without opening a home: for a doctor that needs no daemon. */
    public static Daemon.Readiness readiness(CortexOptions options) {
        Launcher launcher = Launcher.of(new Installation(options.installation()));
        HostPool pool = HostPool.seen(options.home().folder(), options.disks(), launcher);
        return Handlers.readiness(drivers(options, launcher, pool));
    }

    /** What there is to say of a home's disks and promises, without opening it: for a doctor that needs no daemon. */
    public static List<String> diskNotes(CortexOptions options) {
        Home home = options.home();
        Launcher launcher = Launcher.of(new Installation(options.installation()));
        try (HostPool pool = HostPool.seen(home.folder(), options.disks(), launcher)) {
            PoolState state = pool.state();
            List<String> notes = new ArrayList<>(PoolText.of(state));
            SqliteStore.look(home.database()).ifPresent(store -> {
                try (store) {
                    List<SpareRow> spares = store.spares().all();
                    notes.addAll(Handlers.promised(store.list("", Integer.MAX_VALUE), spares, store.disks(), state));
                    notes.addAll(SparesText.of(spares));
                }
            });
            return notes;
        } catch (CortexException e) {
            return List.of("disks: " + e.getMessage()
                    + e.remedy().map(remedy -> " (" + remedy + ")").orElse(""));
        }
    }

    /**
     * What exists under the names of a home and no record knows. Only looks; the home may be open elsewhere.
     *
     * @throws CortexException NOT_READY when its records cannot be read
     */
    public static Orphans.Found orphans(CortexOptions options) {
        Home home = options.home();
        Optional<SqliteStore> records = SqliteStore.look(home.database());
        if (records.isEmpty()) {
            return new Orphans.Found(List.of(), List.of(), List.of());
        }
        Launcher launcher = Launcher.of(new Installation(options.installation()));
        try (SqliteStore store = records.get();
                HostPool pool = HostPool.seen(home.folder(), options.disks(), launcher)) {
            Folders folders = new Folders(home.folder(), home.runFolder());
            return new Orphans(store, drivers(options, launcher, pool), folders).look();
        }
    }

    private static List<SandboxDriver> drivers(CortexOptions options, Launcher launcher, HostPool pool) {
        Installation installation = new Installation(options.installation());
        HostProbe probe = new HostProbe(launcher, options.home().tools());
        probe.begin();
        List<SandboxDriver> drivers = new ArrayList<>();
        drivers.add(new OciDriver(installation, launcher, probe, pool));
        drivers.add(new ProcessDriver(installation, launcher, options.environment()));
        drivers.addAll(options.moreDrivers());
        return drivers;
    }

    /**
     * An unpacked image holds a stranger's setuid programs under their own owner: no other user of the host may reach
     * them, whatever the mode of a home that was there before.
     */
    private static void makePrivate(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }

    /** With a sandbox running, or a daemon's socket, it stays. */
    private static void deleteIfEmpty(Path folder) throws IOException {
        try {
            Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException e) {
            return;
        }
    }

    private static void requireShortRunFolder(Home home) {
        int length = home.runFolder().toString().getBytes(StandardCharsets.UTF_8).length + SOCKET_TAIL;
        if (length > Home.SOCKET_PATH_BYTES) {
            throw CortexException.of(
                    ErrorCode.NOT_READY,
                    "the run folder " + home.runFolder() + " is too long: a socket's path holds "
                            + Home.SOCKET_PATH_BYTES + " bytes, this needs " + length,
                    "set XDG_RUNTIME_DIR to a shorter folder of yours");
        }
    }

    /** Makes a sandbox and starts it. */
    public Sandbox create(CreateSandbox request) {
        SandboxId id = sandboxes.create(request).id();
        return new Sandbox(this, id.value());
    }

    /** A sandbox that exists, by name or id. */
    public Sandbox sandbox(String nameOrId) {
        return new Sandbox(this, sandboxes.find(nameOrId).id().value());
    }

    /** What carries out an operation, for surfaces. */
    public <Q, R> Handler<Q, R> handler(Operation<Q, R> operation) {
        return handlers.of(operation);
    }

    /** What the home says of itself in numbers. */
    public Figures figures() {
        return figures;
    }

    /** Carries out an operation with JSON both ways. */
    public <Q, R> R call(
            Operation<Q, R> operation, Map<String, String> path, Map<String, String> query, Optional<Q> body) {
        if (handler(operation) instanceof Handler.Json<Q, R> handler) {
            return handler.handle(new Call<>(path, query, body, Optional.empty()));
        }
        throw new IllegalArgumentException(operation.name() + " is a stream");
    }

    /** The core, for what operations do not show. */
    public SandboxService sandboxes() {
        return sandboxes;
    }

    public Home home() {
        return home;
    }

    /** Every operation has a handler; fails with the first that has none. */
    void requireComplete() {
        Operations.all().forEach(handlers::of);
    }

    /** Waits until what a crash may have left has been looked at; false when it takes longer. */
    public boolean awaitRecovery(Duration most) throws InterruptedException {
        return sandboxes.awaitRecovery(most);
    }

    @Override
    public void close() {
        RuntimeException failed = new IllegalStateException("closing the home");
        if (!cleanup.unwind(failed).isEmpty()) {
            throw failed;
        }
    }
}
