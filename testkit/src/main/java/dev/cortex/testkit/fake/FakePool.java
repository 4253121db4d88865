package dev.cortex.testkit.fake;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.disk.DiskPool;
import dev.cortex.sandbox.disk.DiskUsage;
import dev.cortex.sandbox.disk.PoolState;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** A pool of plain folders that remembers limits and holds none of them. */
public final class FakePool implements DiskPool {
    private final Path home;
    private final Path folder;
    private final Map<String, Long> limits = new ConcurrentHashMap<>();
    private volatile boolean full;

    /** @param home its disks lie in {@code disks} beneath it */
    public FakePool(Path home) {
        this.home = home;
        this.folder = home.resolve("disks");
    }

    /** No other disk finds room. */
    public void fill() {
        full = true;
    }

    @Override
    public boolean limits() {
        return true;
    }

    @Override
    public void open() {}

    @Override
    public void require() {
        if (full) {
            throw CortexException.of(ErrorCode.DISK_FULL, "the pool is full", "empty it");
        }
    }

    @Override
    public void make(Path disk, long limitBytes) {
        try {
            Files.createDirectories(disk);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        limits.put(folder.relativize(disk).toString(), limitBytes);
    }

    @Override
    public Map<String, DiskUsage> usage() {
        Map<String, DiskUsage> all = new ConcurrentHashMap<>();
        limits.forEach((name, limit) -> all.put(name, new DiskUsage(1, limit)));
        return all;
    }

    @Override
    public PoolState state() {
        File host = home.toFile();
        return new PoolState(
                PoolState.Kind.FOLDER,
                true,
                true,
                folder,
                host.getTotalSpace(),
                host.getUsableSpace(),
                host.getTotalSpace(),
                host.getUsableSpace(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                folders());
    }

    private List<String> folders() {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> folder.relativize(path).toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {}
}
