package dev.cortex.daemon.doctor;

import dev.cortex.engine.Cortex;
import dev.cortex.engine.CortexOptions;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Prune;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.home.Home;
import dev.cortex.sandbox.service.Orphans;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Finds out what a report says. */
public final class Examination {
    private Examination() {}

    /**
     * @param daemon the process that serves this home
     * @param port on which it serves
     */
    public static Report of(CortexOptions options, Optional<ProcessHandle> daemon, Optional<String> port) {
        Daemon.Readiness readiness = Cortex.readiness(options);
        Home home = options.home();
        List<String> notes = new ArrayList<>(Cortex.diskNotes(options));
        notes.addAll(notes(home, daemon.isPresent(), port));
        return new Report(
                Machine.current(),
                daemon.map(process -> state(process, port)),
                readiness,
                orphans(options, notes),
                notes,
                capacity(home));
    }

    /** How many sandboxes the machine holds. */
    public static Capacity capacity(Home home) {
        return Capacity.of(HostLimits.read(home.folder()), Footprint.measure(home.runFolder()), Home.uid() == 0);
    }

    private static List<Prune.Orphan> orphans(CortexOptions options, List<String> notes) {
        try {
            Orphans.Found found = Cortex.orphans(options);
            found.unsure().forEach(line -> notes.add("orphans: " + line));
            found.disks().forEach(disk -> notes.add("disk: no record knows " + disk + " (cortex prune --disks)"));
            return found.orphans().stream()
                    .map(orphan -> new Prune.Orphan(orphan.sandbox().value(), orphan.what()))
                    .toList();
        } catch (CortexException e) {
            notes.add("orphans: could not be looked for: " + e.getMessage());
            return List.of();
        }
    }

    private static Report.DaemonState state(ProcessHandle process, Optional<String> port) {
        Instant started = process.info().startInstant().orElseGet(Instant::now);
        long uptime = Duration.between(started, Instant.now()).toMillis();
        return new Report.DaemonState(process.pid(), uptime, memory(process.pid()), port);
    }

    private static long memory(long pid) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"), StandardCharsets.ISO_8859_1)) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
            return 0;
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    /** No driver needs it, but whoever has a checkout does. */
    static Optional<String> git(String path, boolean root) {
        if (has(path, "git")) {
            return Optional.empty();
        }
        String install = "apt-get install -y --no-install-recommends git";
        String fix = root ? install : has(path, "sudo") ? "sudo " + install : "su -c '" + install + "'";
        return Optional.of("workspaces: git is missing, without which a checkout cannot be copied in; fix: " + fix);
    }

    private static boolean has(String path, String program) {
        return Arrays.stream(path.split(File.pathSeparator))
                .anyMatch(folder -> folder.startsWith("/") && Files.isExecutable(Path.of(folder, program)));
    }

    private static List<String> notes(Home home, boolean serving, Optional<String> port) {
        List<String> notes = new ArrayList<>();
        git(System.getenv().getOrDefault("PATH", ""), Home.uid() == 0).ifPresent(notes::add);
        if (serving && port.isEmpty()) {
            notes.add("HTTP: the port was taken when the daemon started: it serves its socket alone"
                    + " (cortex serve --port N)");
        }
        if (home.reachableSocket().isEmpty()) {
            notes.add(
                    "socket: " + home.socket() + " is too long for a socket; set XDG_RUNTIME_DIR to a shorter folder");
        }
        return notes;
    }
}
