package dev.cortex.sandbox.service;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Discovering;
import dev.cortex.sandbox.driver.SandboxDriver;
import dev.cortex.sandbox.store.DiskRow;
import dev.cortex.sandbox.store.Intent;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SandboxStore;
import dev.cortex.sandbox.store.SpareRow;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What exists outside under this home's names and no record knows. Only looks: the world between two looks at the records.
 * A create in progress, whose record and intent come before anything outside, is known to the second, and a removal, whose
 * record goes after everything outside, to the first: neither is taken for an orphan.
 */
public final class Orphans {
    private final SandboxStore store;
    private final List<SandboxDriver> drivers;
    private final Folders folders;

    /** @param store may be another process's too: it is only read */
    public Orphans(SandboxStore store, List<SandboxDriver> drivers, Folders folders) {
        this.store = store;
        this.drivers = List.copyOf(drivers);
        this.folders = folders;
    }

    /**
     * @param what it has, in words: folders, processes, mounts, control groups
     */
    public record Orphan(SandboxId sandbox, List<String> what) {
        public Orphan {
            what = List.copyOf(what);
        }
    }

    /**
     * @param disks folders of disks that no disk's record names
     * @param unsure what could not be looked at, or not be told for certain: it is kept
     */
    public record Found(List<Orphan> orphans, List<Path> disks, List<String> unsure) {
        public Found {
            orphans = List.copyOf(orphans);
            disks = List.copyOf(disks);
            unsure = List.copyOf(unsure);
        }

        public boolean nothing() {
            return orphans.isEmpty() && disks.isEmpty();
        }
    }

    public Found look() {
        List<String> unsure = new ArrayList<>();
        Set<SandboxId> known = known();
        Set<String> recorded = recordedDisks();
        Map<SandboxId, Set<String>> seen = new TreeMap<>(java.util.Comparator.comparing(SandboxId::value));
        folders(folders.run(), unsure).forEach((id, path) -> note(seen, id, "run folder " + path));
        folders(folders.sandboxes(), unsure).forEach((id, path) -> note(seen, id, "folder " + path));
        Map<SandboxId, Path> disks = folders(folders.disks(), unsure);
        Set<SandboxId> suspects = new HashSet<>(seen.keySet());
        suspects.addAll(disks.keySet());
        for (SandboxDriver driver : drivers) {
            if (driver instanceof Discovering discovering) {
                discover(driver, discovering, suspects, seen, unsure);
            }
        }
        // Again: whatever was made before this has its record.
        known.addAll(known());
        recorded.addAll(recordedDisks());
        List<String> damaged = store.damaged();
        damaged.forEach(line -> unsure.add("a record cannot be read, and what may be its is kept: " + line));
        List<Orphan> orphans = seen.entrySet().stream()
                .filter(entry -> !known.contains(entry.getKey()) && unmentioned(entry.getKey(), damaged))
                .map(entry -> new Orphan(entry.getKey(), List.copyOf(entry.getValue())))
                .toList();
        return new Found(orphans, orphanDisks(disks, recorded, known, damaged), unsure);
    }

    private void discover(
            SandboxDriver driver,
            Discovering discovering,
            Set<SandboxId> suspects,
            Map<SandboxId, Set<String>> seen,
            List<String> unsure) {
        try {
            List<Path> theirs = List.of(folders.sandboxes(), folders.disks());
            discovering
                    .discover(new Discovering.Question(store.homeId(), folders.run(), theirs, suspects))
                    .forEach(trace -> note(seen, trace.sandbox(), trace.what()));
        } catch (CortexException e) {
            unsure.add("the driver " + driver.name() + " could not look: " + e.getMessage());
        }
    }

    /** Spares first: one that is handed out meanwhile is then among the sandboxes. */
    private Set<SandboxId> known() {
        Set<SandboxId> known =
                store.spares().all().stream().map(SpareRow::id).collect(Collectors.toCollection(HashSet::new));
        store.list("", Integer.MAX_VALUE).stream().map(SandboxRow::id).forEach(known::add);
        store.intents().stream().map(Intent::sandbox).forEach(known::add);
        return known;
    }

    private Set<String> recordedDisks() {
        return store.disks().stream().map(DiskRow::folder).collect(Collectors.toCollection(HashSet::new));
    }

    private static List<Path> orphanDisks(
            Map<SandboxId, Path> disks, Set<String> recorded, Set<SandboxId> known, List<String> damaged) {
        if (damaged.stream().anyMatch(line -> line.startsWith("disk "))) {
            // Any of them may be the one whose record cannot be read.
            return List.of();
        }
        return disks.entrySet().stream()
                .filter(entry -> !recorded.contains(entry.getKey().value()))
                .filter(entry -> !known.contains(entry.getKey()) && unmentioned(entry.getKey(), damaged))
                .map(Map.Entry::getValue)
                .toList();
    }

    private static boolean unmentioned(SandboxId id, List<String> damaged) {
        return damaged.stream().noneMatch(line -> line.contains(id.value()));
    }

    private static void note(Map<SandboxId, Set<String>> seen, SandboxId id, String what) {
        seen.computeIfAbsent(id, any -> new LinkedHashSet<>()).add(what);
    }

    /** Entries that are called after a sandbox; links are none. */
    private static Map<SandboxId, Path> folders(Path folder, List<String> unsure) {
        Map<SandboxId, Path> found = new TreeMap<>(java.util.Comparator.comparing(SandboxId::value));
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "sb_*")) {
            for (Path entry : entries) {
                id(entry).ifPresent(id -> found.put(id, entry));
            }
        } catch (NoSuchFileException e) {
            return found;
        } catch (IOException e) {
            unsure.add(folder + " cannot be read: " + e.getMessage());
        }
        return found;
    }

    private static java.util.Optional<SandboxId> id(Path entry) {
        if (Files.isSymbolicLink(entry)) {
            return java.util.Optional.empty();
        }
        try {
            return java.util.Optional.of(new SandboxId(String.valueOf(entry.getFileName())));
        } catch (CortexException e) {
            return java.util.Optional.empty();
        }
    }
}
