package dev.cortex.cli.http;

import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.Install;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Starts the daemon of a home and waits until it serves. One client starts it, the others that come meanwhile wait for
 * the same one. Whoever starts one by hand at the same moment is no harm: the second daemon finds the home's lock taken
 * and ends, and both reach the first.
 */
final class DaemonStart {
    /** Ten times what a cold start without caches takes. */
    private static final long PATIENCE_MILLIS = 20_000;

    private static final long POLL_MILLIS = 5;

    private static final long TOLD_AFTER_MILLIS = 1_000;
    private static final String STARTING = "cortex: starting the daemon …";

    /** Many may wait for another's start, and what they cost is missing to the daemon that they wait for. */
    private static final long LONGEST_POLL_MILLIS = 40;

    /** A home that a program holds which serves nothing is not waited for longer than some starts take. */
    private static final int AGAIN = 3;

    private static final int WORDS_BYTES = 8192;

    private final Home home;
    private final Install install;
    private final Consumer<String> notices;

    DaemonStart(Home home, Install install, Consumer<String> notices) {
        this.home = home;
        this.install = install;
        this.notices = notices;
    }

    /**
     * @throws CortexException with the daemon's own words when it could not start
     */
    Connection start() {
        long begun = System.nanoTime();
        long poll = POLL_MILLIS;
        boolean told = false;
        while (true) {
            Optional<StartTurn> turn = StartTurn.take(home);
            if (turn.isPresent()) {
                try (StartTurn mine = turn.get()) {
                    // Whoever had the turn before may have done it.
                    Optional<Connection> connection = attempt();
                    return connection.isPresent() ? connection.get() : startOne();
                }
            }
            pause(poll);
            Optional<Connection> connection = attempt();
            if (connection.isPresent()) {
                return connection.get();
            }
            if (millisSince(begun) > PATIENCE_MILLIS) {
                throw unanswered();
            }
            if (millisSince(begun) > TOLD_AFTER_MILLIS && !told) {
                told = true;
                notices.accept(STARTING);
            }
            poll = Math.min(2 * poll, LONGEST_POLL_MILLIS);
        }
    }

    private Connection startOne() {
        long logged = logBytes();
        String daemon = detach();
        long begun = System.nanoTime();
        boolean told = false;
        int again = 0;
        while (true) {
            Optional<Connection> connection = attempt();
            if (connection.isPresent()) {
                return connection.get();
            }
            long waited = millisSince(begun);
            if (!isAlive(daemon)) {
                // It may have found the home taken by one that is about to serve.
                connection = waited < 2_000 ? attempt() : Optional.empty();
                if (connection.isPresent()) {
                    return connection.get();
                }
                if (waited > PATIENCE_MILLIS) {
                    throw failed(logged);
                }
                if (!startsElsewhere()) {
                    // The one that had the home may have been ended meanwhile, or not yet have said who it is.
                    if (again == AGAIN || !foundTaken(logged)) {
                        throw failed(logged);
                    }
                    again++;
                    logged = logBytes();
                    daemon = detach();
                }
            }
            if (waited > PATIENCE_MILLIS) {
                throw unanswered();
            }
            if (waited > TOLD_AFTER_MILLIS && !told) {
                told = true;
                notices.accept(STARTING);
            }
            pause(POLL_MILLIS);
        }
    }

    private static long millisSince(long begun) {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    private CortexException unanswered() {
        return CortexException.of(
                ErrorCode.DEADLINE,
                "the daemon was started but does not answer after " + PATIENCE_MILLIS / 1000 + " s",
                "its log: " + HostText.text(home.log()));
    }

    private Optional<Connection> attempt() {
        try {
            return Optional.of(Connection.to(home.socket()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Whether another daemon than ours lives in this home and has not served yet. */
    private boolean startsElsewhere() {
        try {
            String pid = Files.readString(home.pidFile()).strip();
            return !pid.isEmpty() && pid.chars().allMatch(Character::isDigit) && isAlive(pid);
        } catch (IOException e) {
            return false;
        }
    }

    /** A process that ended and that nobody has collected yet is not alive. */
    private static boolean isAlive(String pid) {
        try {
            String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
            int state = stat.lastIndexOf(')') + 2;
            return state < stat.length() && stat.charAt(state) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    /** Gives the process id of the daemon that was started. */
    private String detach() {
        List<String> argv = new ArrayList<>(List.of(install.launcher().toString(), "detach"));
        argv.addAll(List.of(
                "--log",
                home.log().toString(),
                "--prompt",
                "--",
                install.script().toString(),
                "serve"));
        ProcessBuilder launcher = new ProcessBuilder(argv);
        launcher.environment().put("CORTEX_HOME", home.folder().toString());
        try {
            home.makeFolder();
            Process process = launcher.start();
            process.getOutputStream().close();
            String pid = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            String words = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0 || pid.isEmpty()) {
                throw cannot(LauncherWords.of(words.isEmpty() ? pid : words));
            }
            return pid;
        } catch (IOException e) {
            throw cannot(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            throw cannot("interrupted");
        }
    }

    private CortexException cannot(String words) {
        return CortexException.of(
                        ErrorCode.NOT_READY,
                        "cannot start the daemon",
                        "run it to see more: CORTEX_HOME=" + HostText.text(home.folder()) + " cortex serve")
                .because(words);
    }

    private long logBytes() {
        try {
            return Files.size(home.log());
        } catch (IOException e) {
            return 0;
        }
    }

    /** Whether the daemon ended because another had the home; its words are HomeLock's. */
    private boolean foundTaken(long from) {
        for (String line : logLines(from)) {
            if (line.startsWith("cortex: the home ") && line.contains(" is owned by ")) {
                return true;
            }
        }
        return false;
    }

    /** What the daemon wrote for people before it gave up: a line {@code cortex: …} and what is indented below it. */
    private CortexException failed(long from) {
        String message = "";
        StringBuilder below = new StringBuilder();
        for (String line : logLines(from)) {
            if (line.startsWith("cortex: ")) {
                message = line.substring("cortex: ".length());
                below.setLength(0);
            } else if (!message.isEmpty() && line.startsWith("  ")) {
                below.append(below.isEmpty() ? "" : "\n").append(line.strip());
            }
        }
        if (message.isEmpty()) {
            return CortexException.of(
                    ErrorCode.INTERNAL, "the daemon ended while it started", "its log: " + HostText.text(home.log()));
        }
        return CortexException.of(ErrorCode.NOT_READY, "the daemon does not start: " + message, below.toString());
    }

    private List<String> logLines(long from) {
        try (RandomAccessFile log = new RandomAccessFile(home.log().toString(), "r")) {
            long begin = Math.max(from > log.length() ? 0 : from, log.length() - WORDS_BYTES);
            log.seek(begin);
            byte[] bytes = new byte[(int) (log.length() - begin)];
            log.readFully(bytes);
            return List.of(new String(bytes, StandardCharsets.UTF_8).split("\n"));
        } catch (IOException e) {
            return List.of();
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
