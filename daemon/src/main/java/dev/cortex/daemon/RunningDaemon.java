package dev.cortex.daemon;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The daemon of a home that may run, seen through its pid file. */
record RunningDaemon(Home home) {
    /** Closing connections takes it 2 s at most; stopping sandboxes may take each 30. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A process's start is known to a hundredth of a second; file systems and clocks may round otherwise. */
    private static final Duration ROUNDING = Duration.ofSeconds(2);

    /**
     * The process, if the pid file's is still the one that wrote it: a pid that was given out again belongs to a process
     * that started after the file was written.
     */
    Optional<ProcessHandle> process() {
        try {
            long pid = Long.parseLong(Files.readString(home.pidFile()).strip());
            Instant written = Files.getLastModifiedTime(home.pidFile()).toInstant();
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> process.info()
                            .startInstant()
                            .map(start -> start.isBefore(written.plus(ROUNDING)))
                            .orElse(false));
        } catch (NoSuchFileException | NumberFormatException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.DENIED, "cannot read " + home.pidFile(), "run this as the home's owner")
                    .because(e);
        }
    }

    /** Ends it and waits; false, and no error, where none runs. */
    boolean stop(PrintStream words) {
        Optional<ProcessHandle> process = process();
        if (process.isEmpty()) {
            words.println("cortex: no daemon runs in " + home.folder());
            return false;
        }
        if (!process.get().destroy()) {
            throw CortexException.of(
                    ErrorCode.DENIED,
                    "cannot end the daemon, process " + process.get().pid(),
                    "run this as the home's owner");
        }
        try {
            process.get().onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            throw CortexException.of(
                    ErrorCode.DEADLINE,
                    "the daemon, process " + process.get().pid() + ", has not ended after " + PATIENCE.toSeconds()
                            + " s",
                    "see its log: " + home.log());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "interrupted while the daemon ends", "");
        } catch (ExecutionException e) {
            throw new IllegalStateException("waiting for a process fails only so", e);
        }
    }
}
