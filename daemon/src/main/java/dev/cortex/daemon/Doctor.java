package dev.cortex.daemon;

import dev.cortex.daemon.doctor.Capacity;
import dev.cortex.daemon.doctor.CapacityAnswer;
import dev.cortex.daemon.doctor.Examination;
import dev.cortex.daemon.doctor.Fixing;
import dev.cortex.daemon.doctor.Gvisor;
import dev.cortex.daemon.doctor.Page;
import dev.cortex.daemon.doctor.Report;
import dev.cortex.daemon.settings.DaemonSettings;
import dev.cortex.daemon.settings.HomeFile;
import dev.cortex.daemon.words.Envelope;
import dev.cortex.daemon.words.Words;
import dev.cortex.engine.CortexOptions;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** {@code cortex doctor}: what works on this machine, what does not, and the command that helps. */
public final class Doctor {
    private static final String USAGE = """
            Usage: cortex doctor [--json] [--fix [--yes]] [--capacity N]

            Says what this machine is, whether a daemon runs, which drivers are ready and what the others miss.
            The exit status is 0 when a sandbox could be made without naming a driver.

              --fix     run the fixes that only install packages, and build gVisor where Go is there, after
                        asking (--yes or CI=true: without)
              --capacity N   which limits of this machine stand in the way of N sandboxes, with their fixes;
                             the exit status is 1 when one does
              --json    the same for programs
              --home DIR    another home (CORTEX_HOME)

            Examples:
              cortex doctor
              cortex doctor --fix --yes
              cortex doctor --capacity 1000
            """;

    private static final int USAGE_STATUS = 2;

    private Doctor() {}

    public static void main(String[] words) {
        Logger.getLogger("").setLevel(Level.WARNING);
        System.exit(run(words));
    }

    private static int run(String[] words) {
        CommandLine line;
        try {
            line = CommandLine.parse("doctor", words, Set.of("--fix"), Set.of("--capacity"));
        } catch (CortexException e) {
            Words.of(words).print(e);
            return USAGE_STATUS;
        }
        if (line.wantsHelp()) {
            System.out.print(USAGE);
            return 0;
        }
        try {
            Home home =
                    line.value("--home").map(folder -> Home.at(Path.of(folder))).orElseGet(Home::current);
            if (line.value("--capacity").isPresent()) {
                return capacity(line, home);
            }
            Report report = examine(home);
            if (line.has("--fix")) {
                report = fixed(line, home, report);
            }
            System.out.print(line.has("--json") ? report.json() + "\n" : Page.of(report));
            return report.ready() ? 0 : 1;
        } catch (CortexException e) {
            Words.of(words).print(e);
            return 1;
        } catch (IOException e) {
            System.err.println("cortex: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    private static Report fixed(CommandLine line, Home home, Report report) throws IOException, InterruptedException {
        Path script = Path.of(System.getProperty("cortex.script", "/nonexistent/cortex"));
        Gvisor gvisor = new Gvisor(
                script.resolveSibling("dev"), home.tools(), System.getenv().getOrDefault("PATH", ""));
        List<String> fixes = Stream.concat(report.fixes().stream(), gvisor.fix(report.readiness()).stream())
                .toList();
        gvisor.advice(report.readiness()).ifPresent(advice -> System.err.println("cortex: " + advice));
        if (fixes.isEmpty() || !agreed(line, fixes)) {
            return report;
        }
        home.makeFolder();
        new Fixing(System.err).run(fixes);
        return examine(home);
    }

    private static Report examine(Home home) {
        return Examination.of(options(home), new RunningDaemon(home).process(), PortFile.read(home));
    }

    /** As the daemon would open it; a setting that is wrong is the daemon's to refuse. */
    private static CortexOptions options(Home home) {
        try {
            return DaemonSettings.resolve(
                            Optional.empty(), Optional.empty(), System.getenv(), HomeFile.read(home.settings()))
                    .options(home);
        } catch (CortexException e) {
            return CortexOptions.at(home);
        }
    }

    private static int capacity(CommandLine line, Home home) {
        String given = line.value("--capacity").orElse("");
        if (!given.matches("[1-9][0-9]{0,8}")) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    "--capacity '" + given + "' is no number of sandboxes",
                    "write such as: cortex doctor --capacity 1000");
        }
        long wanted = Long.parseLong(given);
        Capacity capacity = Examination.capacity(home);
        System.out.print(
                line.has("--json")
                        ? Envelope.of("capacity", CapacityAnswer.of(wanted, capacity)) + "\n"
                        : Page.capacity(capacity, wanted));
        return capacity.against(wanted).isEmpty() ? 0 : 1;
    }

    private static boolean agreed(CommandLine line, List<String> fixes) {
        if (line.consents(System.getenv())) {
            return true;
        }
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            System.err.println("cortex: nothing was changed: nobody agreed to run:");
            fixes.forEach(fix -> System.err.println("    " + fix));
            System.err.println("  agree with: cortex doctor --fix --yes");
            return false;
        }
        System.err.print("cortex: run it now: " + String.join(" && ", fixes) + " [Y/n] ");
        String answer = console.readLine();
        return answer != null
                && (answer.isBlank() || answer.strip().toLowerCase(Locale.ROOT).startsWith("y"));
    }
}
