package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Lifecycle.KeptDisk;
import dev.cortex.protocol.api.Usage;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.disk.DiskUsage;
import dev.cortex.sandbox.disk.PoolState;
import dev.cortex.sandbox.guest.GuestInfo;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** What the home takes of its machine. It is asked for, so that a disk may be walked here. */
final class UsageHandlers {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final SandboxService sandboxes;
    private final LongSupplier images;

    /** @param images bytes that unpacked images take */
    UsageHandlers(SandboxService sandboxes, LongSupplier images) {
        this.sandboxes = sandboxes;
        this.images = images;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.USAGE, (Handler.Json<Void, Usage>) call -> usage());
    }

    private Usage usage() {
        PoolState pool = sandboxes.pool();
        MachineMemory memory = MachineMemory.now();
        List<SandboxRow> rows = sandboxes.list("", Integer.MAX_VALUE);
        List<DiskRow> disks = sandboxes.disks();
        Map<String, DiskUsage> measured = sandboxes.diskUsages();
        List<SpareRow> spares = sandboxes.spares().rows();
        Map<SandboxRow, GuestInfo> figures = new GuestFigures(sandboxes).of(rows, PATIENCE);
        return new Usage(
                new Usage.Host(
                        memory.total(),
                        memory.free(),
                        Runtime.getRuntime().availableProcessors(),
                        pool.hostTotalBytes(),
                        pool.hostFreeBytes()),
                pool(pool),
                Promises.of(rows, spares, disks, pool, memory.total()),
                rows.stream()
                        .map(row -> sandbox(row, Optional.ofNullable(figures.get(row)), measured))
                        .toList(),
                sandboxes.keptDisks().stream()
                        .map(disk -> new KeptDisk(
                                disk.name(),
                                disk.driver(),
                                disk.image(),
                                bytes(disk, measured).orElse(0L)))
                        .toList(),
                spares.stream().map(UsageHandlers::spare).toList(),
                unknown(pool, disks, spares),
                images.getAsLong());
    }

    private static Usage.Pool pool(PoolState pool) {
        return new Usage.Pool(
                pool.kind().word(),
                pool.folder().toString(),
                pool.ready(),
                pool.limits(),
                pool.totalBytes(),
                pool.freeBytes(),
                pool.why(),
                pool.fix(),
                pool.problem(),
                pool.remedy());
    }

    private Usage.OfSandbox sandbox(SandboxRow row, Optional<GuestInfo> figures, Map<String, DiskUsage> measured) {
        Optional<Long> disk = sandboxes.disk(row).flatMap(known -> bytes(known, measured));
        String runtime = row.settings().runtime();
        return new Usage.OfSandbox(
                row.name(),
                row.state().word(),
                row.settings().driver() + (runtime.isEmpty() ? "" : "/" + runtime),
                figures.map(GuestInfo::memoryUsedBytes),
                row.settings().limits().memoryBytes(),
                figures.map(GuestInfo::processes),
                row.settings().limits().processes(),
                disk,
                row.settings().limits().diskBytes());
    }

    private Optional<Long> bytes(DiskRow disk, Map<String, DiskUsage> measured) {
        DiskUsage known = measured.get(disk.name());
        if (known != null) {
            return Optional.of(known.bytes());
        }
        try {
            return Optional.of(sandboxes.diskUsage(disk));
        } catch (CortexException e) {
            // One that was never made, or that this version has no driver for.
            return Optional.empty();
        }
    }

    private static Usage.Spare spare(SpareRow row) {
        String runtime = row.kind().runtime();
        return new Usage.Spare(
                row.id().value(),
                row.kind().driver() + (runtime.isEmpty() ? "" : "/" + runtime),
                row.kind().image(),
                row.handle().isPresent(),
                row.kind().limits().memoryBytes(),
                row.kind().limits().processes());
    }

    private static List<String> unknown(PoolState pool, List<DiskRow> disks, List<SpareRow> spares) {
        Set<String> known = disks.stream().map(DiskRow::folder).collect(Collectors.toSet());
        spares.forEach(spare -> known.add(spare.id().value()));
        return pool.folders().stream().filter(folder -> !known.contains(folder)).toList();
    }
}
