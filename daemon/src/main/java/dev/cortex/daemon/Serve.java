package dev.cortex.daemon;

import dev.cortex.daemon.settings.DaemonSettings;
import dev.cortex.daemon.settings.HomeFile;
import dev.cortex.daemon.words.Envelope;
import dev.cortex.daemon.words.Words;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.nio.file.Path;
import java.util.Set;

/** {@code cortex serve}: the daemon of a home, in the foreground. */
public final class Serve {
    private static final String USAGE = """
            Usage: cortex serve [--port N] [--pool N] [--stop-sandboxes]
                   cortex serve --stop

            Serves the home on its socket and on 127.0.0.1. Other commands start it by themselves when none runs.
            SIGTERM or Ctrl-C end it; sandboxes run on, and the next daemon finds them.

              --port N            port on loopback (CORTEX_PORT, daemon.port; default 3100); taken is then an error
              --pool N            sandboxes of each kind in use that are started ahead (CORTEX_POOL, daemon.pool;
                                  default 2, 0: none)
              --stop-sandboxes    stop every sandbox when this daemon ends
              --stop              end the daemon that runs, and wait for it; with --json: whether one ran
              --home DIR          another home (CORTEX_HOME)

            Examples:
              cortex serve
              cortex serve --port 3200 --stop-sandboxes
              cortex serve --stop
            """;

    private static final int USAGE_STATUS = 2;

    /** @param ended false where no daemon ran */
    private record Stopped(boolean ended) {}

    private Serve() {}

    public static void main(String[] words) {
        System.exit(run(words));
    }

    private static int run(String[] words) {
        CommandLine line;
        try {
            line = CommandLine.parse("serve", words, Set.of("--stop", "--stop-sandboxes"), Set.of("--port", "--pool"));
        } catch (CortexException e) {
            Words.of(words).print(e);
            return USAGE_STATUS;
        }
        if (line.wantsHelp()) {
            System.out.print(USAGE);
            return 0;
        }
        Home home = line.value("--home").map(folder -> Home.at(Path.of(folder))).orElseGet(Home::current);
        try {
            if (line.has("--stop")) {
                boolean ended = new RunningDaemon(home).stop(System.err);
                if (line.has("--json")) {
                    System.out.println(Envelope.of("stopped", new Stopped(ended)));
                }
                return 0;
            }
            DaemonSettings settings = DaemonSettings.resolve(
                    line.value("--port"), line.value("--pool"), System.getenv(), HomeFile.read(home.settings()));
            DaemonProcess daemon = DaemonProcess.start(home, settings, line.has("--stop-sandboxes"));
            System.err.println(daemon.readyLine());
            daemon.awaitEnd();
            return 0;
        } catch (CortexException e) {
            Words.of(words).print(e);
            return e.code() == ErrorCode.INVALID_ARGUMENT ? USAGE_STATUS : 1;
        }
    }
}
