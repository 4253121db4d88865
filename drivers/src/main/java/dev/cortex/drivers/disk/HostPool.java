package dev.cortex.drivers.disk;

import dev.cortex.drivers.launch.DiskSpec;
import dev.cortex.drivers.launch.DisksFound;
import dev.cortex.drivers.launch.LaunchSpec;
import dev.cortex.drivers.launch.Launcher;
import dev.cortex.drivers.launch.PoolSpec;
import dev.cortex.drivers.launch.Pooled;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.disk.DiskPool;
import dev.cortex.sandbox.disk.DiskUsage;
import dev.cortex.sandbox.disk.PoolState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The pool of a home on this host. The launcher decides of which kind it is, and does what needs root; this remembers
 * the answer, and sees to it that an image grows before its disks need it.
 */
public final class HostPool implements DiskPool {
    /** With less nothing can be started: layers, work folders, and what every program writes at once. */
    private static final long LEAST = 16L << 20;

    private static final String IMAGE = "image";
    private static final String FOLDER = "folder";

    private final Path home;
    private final PoolSettings settings;
    private final Launcher launcher;
    private final boolean owner;
    private final ReentrantLock lock = new ReentrantLock();
    private final PoolWatch watch;
    private volatile @Nullable Pooled known;

    /** @param home the folder that holds {@code disks} */
    public HostPool(Path home, PoolSettings settings, Launcher launcher) {
        this(home, settings, launcher, true);
    }

    private HostPool(Path home, PoolSettings settings, Launcher launcher, boolean owner) {
        this.home = home;
        this.settings = settings;
        this.launcher = launcher;
        this.owner = owner;
        this.watch =
                new PoolWatch(home.resolve("disks"), settings.sizes().headroom(), this::grow, PoolWatch.Pauses.USUAL);
    }

    /** Plain folders, for who needs no pool. */
    public static HostPool plain(Path home, Launcher launcher) {
        return new HostPool(home, PoolSettings.PLAIN, launcher);
    }

    /** One of a home that somebody else may own: it is looked at, never mounted. */
    public static HostPool seen(Path home, PoolSettings settings, Launcher launcher) {
        return new HostPool(home, settings, launcher, false);
    }

    /** Looks at it in the background, and mounts what is there; who needs the answer meanwhile waits for it. */
    public void begin() {
        Thread.ofVirtual().name("disk-pool").start(() -> {
            try {
                decided();
            } catch (CortexException e) {
                // Whoever needs the pool gets this error himself.
                System.getLogger(HostPool.class.getName())
                        .log(System.Logger.Level.WARNING, () -> "the pool of disks: " + e.getMessage());
            }
        });
    }

    @Override
    public boolean limits() {
        try {
            return decided().limits();
        } catch (CortexException e) {
            // A pool that cannot be looked at promises nothing; require() tells why.
            return false;
        }
    }

    @Override
    public void open() {
        Pooled now = decided();
        if (now.kind().equals(IMAGE) && now.ready() && !mounted()) {
            requireWritable(ask(false));
        }
    }

    @Override
    public void require() {
        Pooled now = decided();
        if (!now.ready() || (now.kind().equals(IMAGE) && !mounted()) || !Files.isDirectory(folder())) {
            now = ask(true);
        }
        requireWritable(now);
        requireRoom(now);
    }

    @Override
    public void make(Path disk, long limitBytes) {
        if (limitBytes > 0 && !limits()) {
            throw CortexException.of(
                    ErrorCode.UNSUPPORTED, "disks have no limit here", "cortex doctor says why; or leave --disk out");
        }
        if (decided().kind().equals(FOLDER)) {
            makeFolder(disk);
        } else {
            launcher.disk(disk(disk, limitBytes, List.of()));
        }
    }

    private static void makeFolder(Path disk) {
        try {
            Files.createDirectories(
                    disk, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DRIVER_FAILED,
                            "the disk could not be made: " + disk,
                            "look at the owner and the free space of its parent")
                    .because(e);
        }
    }

    /**
     * What the launcher is told of a disk that a start makes.
     *
     * @param limitBytes left out where no limit holds
     * @param folders beneath it, made as well
     */
    public DiskSpec disk(Path disk, long limitBytes, List<String> folders) {
        Pooled now = decided();
        boolean subvolume = !now.kind().equals(FOLDER);
        return new DiskSpec(disk.toString(), subvolume, now.limits() ? limitBytes : 0, folders);
    }

    @Override
    public Map<String, DiskUsage> usage() {
        if (!limits()) {
            return Map.of();
        }
        return launcher.disks(folder()).disks().stream()
                .filter(DisksFound.Found::measured)
                .collect(Collectors.toMap(
                        DisksFound.Found::name, disk -> new DiskUsage(disk.bytes(), disk.limitBytes())));
    }

    @Override
    public PoolState state() {
        Pooled now = launcher.pool(spec(false, false, false, false));
        List<String> folders = launcher.disks(folder()).disks().stream()
                .map(DisksFound.Found::name)
                .sorted()
                .toList();
        Optional<String> refusal = watch.refusal();
        return new PoolState(
                PoolState.Kind.valueOf(now.kind().toUpperCase(Locale.ROOT)),
                now.ready(),
                now.limits(),
                folder(),
                now.totalBytes(),
                now.freeBytes(),
                now.hostTotalBytes(),
                now.hostFreeBytes(),
                now.why(),
                now.fix(),
                now.problem().or(() -> refusal),
                now.problem().isPresent() ? now.remedy() : refusal.map(words -> "free space on the host's disk"),
                folders);
    }

    /** Its mount and its loop device go; nothing may run in it. Does nothing where nothing is mounted. */
    public void unmount() {
        lock.lock();
        try {
            watch.close();
            if (!mounted()) {
                return;
            }
            launcher.pool(spec(false, false, false, true));
            known = null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        watch.close();
    }

    private Path folder() {
        return home.resolve("disks");
    }

    private Pooled decided() {
        Pooled now = known;
        return now != null ? now : ask(false);
    }

    private Pooled ask(boolean make) {
        lock.lock();
        try {
            Pooled now = known;
            if (now != null && !make && (!now.kind().equals(IMAGE) || !now.ready() || mounted())) {
                return now;
            }
            return remember(launcher.pool(spec(owner, make, false, false)));
        } finally {
            lock.unlock();
        }
    }

    private Pooled grow() {
        lock.lock();
        try {
            return remember(launcher.pool(spec(true, false, true, false)));
        } finally {
            lock.unlock();
        }
    }

    private Pooled remember(Pooled answer) {
        known = answer;
        if (owner && answer.kind().equals(IMAGE) && answer.ready()) {
            watch.begin();
        }
        return answer;
    }

    private static void requireWritable(Pooled now) {
        now.problem().ifPresent(problem -> {
            throw CortexException.of(ErrorCode.NOT_READY, problem, now.remedy().orElse("cortex doctor"));
        });
    }

    private void requireRoom(Pooled now) {
        long free = free();
        if (now.kind().equals(IMAGE) && free < settings.sizes().headroom()) {
            try {
                grow();
                free = free();
            } catch (CortexException e) {
                if (free < LEAST) {
                    throw e;
                }
            }
        }
        requireLeast(folder(), free);
        // The record, the console and the log of a sandbox lie beside an image.
        requireLeast(home, home.toFile().getUsableSpace());
    }

    private static void requireLeast(Path on, long free) {
        if (free < LEAST) {
            throw CortexException.of(
                    ErrorCode.DISK_FULL,
                    "the disk that holds " + on + " has " + (free >> 20) + " MiB left",
                    "free space on it, or remove what you do not need: cortex usage, cortex rm --wipe NAME");
        }
    }

    private long free() {
        return folder().toFile().getUsableSpace();
    }

    /** Another file system than the home's lies there. */
    private boolean mounted() {
        try {
            return !Files.getAttribute(folder(), "unix:dev").equals(Files.getAttribute(home, "unix:dev"));
        } catch (IOException e) {
            return false;
        }
    }

    private PoolSpec spec(boolean mount, boolean make, boolean grow, boolean unmount) {
        PoolSizes sizes = settings.sizes();
        return new PoolSpec(
                LaunchSpec.VERSION,
                home.toString(),
                settings.choice().word(),
                mount,
                make,
                grow,
                unmount,
                sizes.initial(),
                sizes.step(),
                sizes.margin());
    }
}
