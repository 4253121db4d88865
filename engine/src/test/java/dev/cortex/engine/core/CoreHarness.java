package dev.cortex.engine.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.sandbox.event.SandboxEvent;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.image.ImageResolver;
import dev.cortex.sandbox.service.Boundaries;
import dev.cortex.sandbox.service.Folders;
import dev.cortex.sandbox.service.Ports;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.spare.SpareSettings;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.storage.FileSessionArchive;
import dev.cortex.storage.SqliteStore;
import dev.cortex.testkit.fake.FakeConnector;
import dev.cortex.testkit.fake.FakeDriver;
import dev.cortex.testkit.fake.FakeMachine;
import dev.cortex.testkit.fake.FakePerimeter;
import dev.cortex.testkit.fake.FakePool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The core over a real store and a fake machine, which outlives it: {@link #reopen} is the next daemon. */
final class CoreHarness implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(20);

    final FakeMachine machine = new FakeMachine();
    final FakePerimeter perimeter = new FakePerimeter();
    final List<SandboxEvent> events = new CopyOnWriteArrayList<>();
    final FakePool pool;
    private final Path home;
    private final Path run;
    private Boundaries boundaries = Boundaries.NONE;
    private Optional<SqliteStore> store = Optional.empty();
    private Optional<SandboxService> service = Optional.empty();
    String digest = "";
    String boot = "first";
    Clock clock = Clock.systemUTC();
    SpareSettings spares = SpareSettings.OFF;
    volatile boolean shortOfMemory;

    CoreHarness(Path folder) {
        this.home = folder.resolve("home");
        this.run = folder.resolve("run");
        this.pool = new FakePool(home);
    }

    CoreHarness at(Boundaries newBoundaries) {
        boundaries = newBoundaries;
        return this;
    }

    SandboxService core() {
        return service.orElseGet(this::open);
    }

    private SandboxService open() {
        try {
            Files.createDirectories(home);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        SqliteStore opened = SqliteStore.open(home.resolve("cortex.db"));
        ImageResolver images = reference -> new Image(
                reference,
                digest.isEmpty() ? Optional.empty() : Optional.of(digest),
                reference.equals("host") ? new Image.Root.Host(home, List.of()) : new Image.Root.Folder(home),
                Image.Config.NONE);
        SandboxService core = new SandboxService(new Ports(
                opened,
                new FileSessionArchive(SqliteStore.reserveOf(home.resolve("cortex.db"))),
                List.of(
                        new FakeDriver(
                                machine,
                                "strong",
                                Capability.ISOLATION,
                                Capability.IMAGES,
                                Capability.USERS,
                                Capability.MEMORY_LIMIT,
                                Capability.PAUSE,
                                Capability.PROCESS_LIMIT,
                                Capability.EGRESS,
                                Capability.DISK_LIMIT),
                        new FakeDriver(machine, "weak")),
                new FakeConnector(),
                images,
                perimeter,
                new Folders(home, run),
                pool,
                clock,
                () -> boot,
                boundaries,
                spares,
                () -> shortOfMemory));
        core.events().subscribe(events::add);
        store = Optional.of(opened);
        service = Optional.of(core);
        return core;
    }

    /** The process ends; the machine and the files stay. */
    void die() {
        service.ifPresent(SandboxService::close);
        store.ifPresent(SqliteStore::close);
        service = Optional.empty();
        store = Optional.empty();
    }

    SandboxService reopen() throws InterruptedException {
        die();
        boundaries = Boundaries.NONE;
        SandboxService core = open();
        assertThat(core.awaitRecovery(SOON)).isTrue();
        return core;
    }

    SqliteStore store() {
        return store.orElseThrow();
    }

    State state(String name) {
        return core().find(name).state();
    }

    SandboxRow create(String name) {
        return core().create(CreateSandbox.defaults().named(name));
    }

    static CreateSandbox running(String name, String... argv) {
        return CreateSandbox.defaults().named(name).running(StartSession.of(argv));
    }

    void eventually(BooleanSupplier condition) {
        long deadline = System.nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Records, processes and folders agree, and nothing is unfinished. */
    void assertConsistent() throws IOException {
        assertThat(store().intents()).as("unfinished").isEmpty();
        assertThat(store().damaged()).isEmpty();
        List<SandboxRow> rows = store().list("", 1_000);
        Set<SandboxId> paused = rows.stream()
                .filter(row -> row.state() == State.PAUSED)
                .map(SandboxRow::id)
                .collect(Collectors.toSet());
        Set<SandboxId> running = rows.stream()
                .filter(row -> row.state() == State.RUNNING || row.state() == State.PAUSED)
                .map(SandboxRow::id)
                .collect(Collectors.toSet());
        List<SpareRow> ahead = store().spares().all();
        assertThat(ahead)
                .as("unfinished spares")
                .allMatch(spare -> spare.handle().isPresent());
        Set<SandboxId> processes = new HashSet<>(running);
        ahead.forEach(spare -> processes.add(spare.id()));
        assertThat(machine.alive()).as("processes").isEqualTo(processes);
        assertThat(machine.frozen()).as("who stands still").isEqualTo(paused);
        Set<String> ids = texts(rows.stream().map(SandboxRow::id).toList());
        ids.addAll(texts(processes));
        assertThat(ids).as("sandbox folders").containsAll(names(home.resolve("sandboxes")));
        assertThat(texts(processes)).as("run folders").containsAll(names(run));
        Set<String> folders = texts(ahead.stream().map(SpareRow::id).toList());
        store().disks().forEach(disk -> folders.add(disk.folder()));
        assertThat(folders).as("disks").containsAll(names(home.resolve("disks")));
    }

    private static Set<String> texts(Collection<SandboxId> ids) {
        Set<String> texts = new HashSet<>();
        ids.forEach(id -> texts.add(id.value()));
        return texts;
    }

    Set<String> disks() throws IOException {
        return names(home.resolve("disks"));
    }

    private static Set<String> names(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return Set.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    @Override
    public void close() {
        die();
    }
}
