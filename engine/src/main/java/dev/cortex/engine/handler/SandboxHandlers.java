package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.api.Lifecycle.KeptDisk;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.api.SandboxView.DiskView;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.disk.DiskUsage;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.guest.SessionStatus;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sandboxes: create, list, inspect, start, stop, pause, resume, reset, remove. */
final class SandboxHandlers {
    private static final int PAGE = 1_000;

    /** With more running sandboxes than are asked at once a list leaves their figures out. */
    private static final Duration IN_A_LIST = Duration.ofMillis(250);

    private static final Duration ALONE = Duration.ofSeconds(2);

    private final SandboxService sandboxes;
    private final GuestFigures figures;
    private final Idempotency<CreateSandbox, String> creates;

    SandboxHandlers(SandboxService sandboxes, Clock clock) {
        this.sandboxes = sandboxes;
        this.figures = new GuestFigures(sandboxes);
        this.creates = new Idempotency<>(clock);
    }

    void register(Handlers handlers) {
        handlers.put(Operations.CREATE, (Handler.Json<CreateSandbox, SandboxView>) this::create);
        handlers.put(Operations.LIST, (Handler.Json<Void, Lifecycle.SandboxList>) this::list);
        handlers.put(
                Operations.INSPECT, (Handler.Json<Void, SandboxView>) call -> inspect(sandboxes.find(call.sandbox())));
        handlers.put(
                Operations.START, (Handler.Json<Void, SandboxView>) call -> brief(sandboxes.start(call.sandbox())));
        handlers.put(
                Operations.PAUSE, (Handler.Json<Void, SandboxView>) call -> brief(sandboxes.pause(call.sandbox())));
        handlers.put(
                Operations.RESUME, (Handler.Json<Void, SandboxView>) call -> brief(sandboxes.resume(call.sandbox())));
        handlers.put(
                Operations.RESET, (Handler.Json<Void, SandboxView>) call -> brief(sandboxes.reset(call.sandbox())));
        handlers.put(Operations.STOP, (Handler.Json<Lifecycle.Stop, SandboxView>) this::stop);
        handlers.put(Operations.REMOVE, (Handler.Json<Void, Lifecycle.Removed>) this::remove);
    }

    private SandboxView create(Call<CreateSandbox> call) {
        CreateSandbox request = call.request();
        String id = creates.once(
                call.idempotencyKey(),
                request,
                () -> call.idempotencyKey()
                        .map(key -> sandboxes.create(request, key))
                        .orElseGet(() -> sandboxes.create(request))
                        .id()
                        .value());
        return brief(sandboxes.find(id));
    }

    private SandboxView stop(Call<Lifecycle.Stop> call) {
        Duration grace = call.body()
                .flatMap(Lifecycle.Stop::graceMs)
                .map(Duration::ofMillis)
                .orElse(SandboxService.GRACE);
        return brief(sandboxes.stop(call.sandbox(), grace));
    }

    private Lifecycle.Removed remove(Call<Void> call) {
        Parameters parameters = new Parameters(call);
        return sandboxes.remove(call.sandbox(), parameters.flag("force"), parameters.flag("wipe"));
    }

    private Lifecycle.SandboxList list(Call<Void> call) {
        Parameters parameters = new Parameters(call);
        int most = (int) parameters.number("most", PAGE, 1, PAGE);
        // One more than shown tells whether another page follows.
        List<SandboxRow> rows = sandboxes.list(parameters.text("after").orElse(""), most + 1);
        List<SandboxRow> page = rows.size() > most ? rows.subList(0, most) : rows;
        Map<SandboxRow, GuestInfo> usage = usage(page);
        Map<SandboxRow, List<SessionStatus>> sessions = figures.sessions(usage, IN_A_LIST);
        Map<String, DiskUsage> disks = diskUsages();
        return new Lifecycle.SandboxList(
                page.stream()
                        .map(row -> view(
                                row,
                                sessions.getOrDefault(row, List.of()),
                                Optional.ofNullable(usage.get(row)),
                                disk(row, disks)))
                        .toList(),
                parameters.flag("all") ? keptDisks(disks) : List.of(),
                rows.size() > most ? Optional.of(page.getLast().name()) : Optional.empty());
    }

    private Map<SandboxRow, GuestInfo> usage(List<SandboxRow> page) {
        long running = page.stream().filter(row -> row.state() == State.RUNNING).count();
        return running > GuestFigures.AT_ONCE ? Map.of() : figures.of(page, IN_A_LIST);
    }

    /** A list shows what costs one question for all of them; a disk that would have to be walked is left to inspect. */
    private Map<String, DiskUsage> diskUsages() {
        try {
            return sandboxes.diskUsages();
        } catch (CortexException e) {
            return Map.of();
        }
    }

    private Optional<DiskView> disk(SandboxRow row, Map<String, DiskUsage> disks) {
        DiskUsage used = disks.get(row.settings().disk());
        return used == null
                ? Optional.empty()
                : sandboxes
                        .disk(row)
                        .map(d -> new DiskView(sandboxes.diskFolder(d).toString(), used.bytes(), false));
    }

    private List<KeptDisk> keptDisks(Map<String, DiskUsage> disks) {
        return sandboxes.keptDisks().stream()
                .map(disk -> new KeptDisk(disk.name(), disk.driver(), disk.image(), bytes(disk, disks)))
                .toList();
    }

    private long bytes(DiskRow disk, Map<String, DiskUsage> disks) {
        DiskUsage used = disks.get(disk.name());
        return used == null ? bytes(disk) : used.bytes();
    }

    private SandboxView inspect(SandboxRow row) {
        Optional<GuestInfo> info = row.state() == State.RUNNING ? figures.of(row, ALONE) : Optional.empty();
        List<SessionStatus> sessions = info.map(i -> figures.sessions(Map.of(row, i), ALONE))
                .map(all -> all.getOrDefault(row, List.of()))
                .orElse(List.of());
        Optional<DiskView> disk = sandboxes
                .disk(row)
                .map(d -> new DiskView(sandboxes.diskFolder(d).toString(), bytes(d), false));
        return view(row, sessions, info, disk);
    }

    private SandboxView brief(SandboxRow row) {
        return view(row, List.of(), Optional.empty(), Optional.empty());
    }

    private SandboxView view(
            SandboxRow row, List<SessionStatus> sessions, Optional<GuestInfo> info, Optional<DiskView> disk) {
        return Views.sandbox(row, sandboxes.why(row, sessions), user(row), info, disk);
    }

    private String user(SandboxRow row) {
        try {
            return sandboxes.userOf(row);
        } catch (CortexException e) {
            // A record of a driver that this version lacks can still be shown.
            return row.settings().user();
        }
    }

    private long bytes(DiskRow disk) {
        try {
            return sandboxes.diskUsage(disk);
        } catch (CortexException e) {
            return 0;
        }
    }
}
