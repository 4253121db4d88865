package dev.cortex.daemon.doctor;

import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Daemon.DriverReadiness;
import java.time.Duration;
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
        page.notes(report);
        return page.text.toString();
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
        if (report.notes().isEmpty()) {
            return;
        }
        text.append("notes\n");
        report.notes().forEach(note -> text.append("  ").append(note).append('\n'));
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
