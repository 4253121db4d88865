package dev.cortex.daemon.doctor;

import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Daemon.DriverReadiness;
import dev.cortex.protocol.api.Prune;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** A report for people. */
public final class Page {
    private static final String INDENT = " ".repeat(10);
    private static final int NAME_WIDTH = 16;
    private static final int STATE_WIDTH = 9;

    private final StringBuilder text = new StringBuilder();

    private Page() {}

    public static String of(Report report) {
        Page page = new Page();
        page.machine(report.machine());
        page.daemon(report);
        page.drivers(report.readiness());
        page.orphans(report);
        page.notes(report);
        return page.text.toString();
    }

    /**
     * Which limits stand in the way of so many sandboxes.
     *
     * @param wanted so many
     */
    public static String capacity(Capacity capacity, long wanted) {
        Page page = new Page();
        List<Capacity.Bound> against = capacity.against(wanted);
        page.text.append("%,d sandboxes: %s%n"
                .formatted(
                        wanted,
                        against.isEmpty()
                                ? "nothing of this machine stands in the way"
                                : "these limits stand in the way"));
        Footprint one = capacity.footprint();
        page.text.append("one takes %s, %d threads, %d files (%s)%n"
                .formatted(
                        size(one.memoryBytes()),
                        one.threads(),
                        one.files(),
                        one.measured() == 0 ? "what an idle one may" : "measured on " + one.measured() + " that run"));
        for (Capacity.Bound bound : capacity.bounds()) {
            page.bound(bound, bound.sandboxes() < wanted);
        }
        return page.text.toString();
    }

    private void bound(Capacity.Bound bound, boolean against) {
        text.append("  %-2s %-30s %,15d sandboxes%n".formatted(against ? "✗" : "", bound.limit(), bound.sandboxes()));
        if (against && !bound.fix().isEmpty()) {
            text.append("       fix: ").append(bound.fix()).append('\n');
        }
    }

    private void orphans(Report report) {
        if (report.orphans().isEmpty()) {
            return;
        }
        text.append("orphans\n");
        for (Prune.Orphan orphan : report.orphans()) {
            text.append("  ")
                    .append(orphan.sandbox())
                    .append("  ")
                    .append(summary(orphan.what()))
                    .append('\n');
        }
        text.append("  no record knows them; see what would go: cortex prune\n");
    }

    private static String summary(List<String> what) {
        long processes =
                what.stream().filter(trace -> trace.startsWith("process ")).count();
        long others = what.size() - processes;
        return (processes == 1 ? "1 process" : processes + " processes") + ", " + others + " other things";
    }

    private void machine(Machine machine) {
        text.append("machine   %s %s, %d cores, %s, cgroup %s%n"
                .formatted(
                        machine.kernel(),
                        machine.architecture(),
                        machine.cores(),
                        size(machine.memoryBytes()),
                        machine.cgroups()));
    }

    private void daemon(Report report) {
        text.append("daemon    ")
                .append(report.daemon().map(Page::daemon).orElse("none runs; the first command starts it"))
                .append('\n');
    }

    private static String daemon(Report.DaemonState daemon) {
        return "pid %d, up %s, %s, %s"
                .formatted(
                        daemon.pid(),
                        age(Duration.ofMillis(daemon.uptimeMs())),
                        size(daemon.memoryBytes()),
                        daemon.port()
                                .map(port -> "http://127.0.0.1:" + port)
                                .orElse("socket alone, its port was taken"));
    }

    private void drivers(Daemon.Readiness readiness) {
        text.append("drivers\n");
        for (DriverReadiness driver : readiness.drivers()) {
            String name = driver.driver() + (driver.runtime().isEmpty() ? "" : "/" + driver.runtime());
            String state = driver.state().equals("missing") ? "–" : driver.state();
            String words = driver.chosen() ? "chosen by auto" + comma(driver.note()) : driver.note();
            if (!driver.missing().isEmpty()) {
                words = driver.missing().getFirst().what();
            }
            text.append(("  %-" + NAME_WIDTH + "s %-" + STATE_WIDTH + "s %s")
                            .formatted(name, state, words)
                            .stripTrailing())
                    .append('\n');
            for (int i = 0; i < driver.missing().size(); i++) {
                Daemon.Missing missing = driver.missing().get(i);
                if (i > 0) {
                    text.append(INDENT.repeat(3), 0, 29).append(missing.what()).append('\n');
                }
                text.append(INDENT.repeat(3), 0, 29)
                        .append("fix: ")
                        .append(missing.fix())
                        .append('\n');
            }
        }
    }

    private static String comma(String note) {
        return note.isEmpty() ? "" : "; " + note;
    }

    private void notes(Report report) {
        text.append("notes\n");
        report.notes().forEach(note -> text.append("  ").append(note).append('\n'));
        report.capacity()
                .next()
                .ifPresent(next -> text.append("  capacity: about %,d sandboxes; the next limit is %s%s%n"
                        .formatted(
                                report.capacity().sandboxes(),
                                next.limit(),
                                next.fix().isEmpty() ? "" : " (" + next.fix() + ")")));
    }

    static String size(long bytes) {
        long mebibytes = bytes >> 20;
        // What firmware and kernel keep makes a 24 GiB machine show 23.4: people know it as 24.
        return mebibytes >= 10_240 ? Math.round(Math.ceil(mebibytes / 1024.0)) + " GiB" : mebibytes + " MiB";
    }

    static String age(Duration age) {
        if (age.toDays() > 0) {
            return age.toDays() + " d";
        }
        if (age.toHours() > 0) {
            return age.toHours() + " h";
        }
        return age.toMinutes() > 0 ? age.toMinutes() + " min" : String.format(Locale.ROOT, "%d s", age.toSeconds());
    }
}
