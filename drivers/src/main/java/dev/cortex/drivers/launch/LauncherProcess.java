package dev.cortex.drivers.launch;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * One run of the launcher. The JDK closes every descriptor but the three standard ones in the child, so nothing of the
 * daemon is inherited; of its environment the launcher gets PATH alone, where it looks for runtimes.
 */
final class LauncherProcess {
    /** 1,000 observed sandboxes are answered in 100 KiB. */
    private static final int ANSWER_MOST = 16 << 20;

    private static final int WORDS_MOST = 8 << 10;

    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("launcher-io").start(task);

    private final Path program;
    private final String verb;
    private final List<String> command;

    LauncherProcess(Path program, String verb, List<String> arguments) {
        this.program = program;
        this.verb = verb;
        this.command = new ArrayList<>(List.of(program.toString(), verb));
        this.command.addAll(arguments);
    }

    Ended run(byte[] input, Duration deadline) {
        return run(input, deadline, line -> {});
    }

    /** @param lines gets each line that the verb writes to standard error, while it goes on */
    Ended run(byte[] input, Duration deadline, Consumer<String> lines) {
        return run(spawn(), input, deadline, lines);
    }

    /** Gives a process that was spawned before what it waits for. */
    Ended run(Process process, byte[] input, Duration deadline) {
        return run(process, input, deadline, line -> {});
    }

    private Ended run(Process process, byte[] input, Duration deadline, Consumer<String> lines) {
        long end = System.nanoTime() + deadline.toNanos();
        try {
            CompletableFuture<byte[]> output = read(process.getInputStream(), ANSWER_MOST);
            CompletableFuture<String> words = readLines(process.getErrorStream(), lines);
            CompletableFuture<Void> written = write(process.getOutputStream(), input);
            if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw late(deadline);
            }
            byte[] answer = output.get(Math.max(end - System.nanoTime(), 1), TimeUnit.NANOSECONDS);
            String said = words.get(Math.max(end - System.nanoTime(), 1), TimeUnit.NANOSECONDS)
                    .strip();
            written.cancel(false);
            return new Ended(verb, process.exitValue(), answer, said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "the launcher's " + verb + " was cancelled", "");
        } catch (TimeoutException e) {
            throw late(deadline);
        } catch (java.util.concurrent.ExecutionException | CompletionException e) {
            throw failed("the launcher's answer to " + verb + " could not be read")
                    .because(e);
        } finally {
            process.destroyForcibly();
        }
    }

    Process spawn() {
        ProcessBuilder builder = new ProcessBuilder(command);
        String path = System.getenv("PATH");
        builder.environment().clear();
        if (path != null) {
            builder.environment().put("PATH", path);
        }
        builder.directory(Path.of("/").toFile());
        try {
            return builder.start();
        } catch (IOException e) {
            if (!Files.isExecutable(program)) {
                throw CortexException.of(
                        ErrorCode.NOT_READY, "the launcher is missing: " + program, "build it: ./dev build");
            }
            throw failed("the launcher could not be started").because(e);
        }
    }

    private static CompletableFuture<byte[]> read(InputStream from, int most) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (from) {
                        byte[] bytes = from.readNBytes(most);
                        // What is beyond the cap is read and dropped, so that the writer does not stand still.
                        from.transferTo(OutputStream.nullOutputStream());
                        return bytes;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                VIRTUAL);
    }

    /** Its last words, each line handed on as it comes; a line longer than that is cut in pieces. */
    private static CompletableFuture<String> readLines(InputStream from, Consumer<String> lines) {
        return CompletableFuture.supplyAsync(
                () -> {
                    StringBuilder last = new StringBuilder();
                    StringBuilder line = new StringBuilder();
                    try (Reader reader = new InputStreamReader(from, StandardCharsets.UTF_8)) {
                        char[] buffer = new char[WORDS_MOST];
                        for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
                            last.append(buffer, 0, n);
                            last.delete(0, Math.max(0, last.length() - WORDS_MOST));
                            for (int i = 0; i < n; i++) {
                                if (buffer[i] == '\n' || line.length() == WORDS_MOST) {
                                    lines.accept(line.toString());
                                    line.setLength(0);
                                } else {
                                    line.append(buffer[i]);
                                }
                            }
                        }
                        return last.toString();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                VIRTUAL);
    }

    private static CompletableFuture<Void> write(OutputStream to, byte[] input) {
        return CompletableFuture.runAsync(
                () -> {
                    try (to) {
                        to.write(input);
                    } catch (IOException e) {
                        // It ended before it read everything; its answer says why.
                    }
                },
                VIRTUAL);
    }

    private CortexException late(Duration deadline) {
        return CortexException.of(
                ErrorCode.DEADLINE,
                "the launcher's " + verb + " took longer than " + deadline.toSeconds() + " s",
                "look at the load of the machine, then try again");
    }

    private static CortexException failed(String message) {
        return CortexException.of(ErrorCode.DRIVER_FAILED, message, "cortex doctor shows what this machine lacks");
    }

    /** How it ended and what it said. */
    record Ended(String verb, int status, byte[] output, String words) {
        /** The answer; an error when it ended with one. */
        JsonNode orFail() {
            JsonNode answer = parsed();
            if (status != 0) {
                throw Launcher.failure(answer).orElseGet(this::unexplained);
            }
            return answer;
        }

        /** The answer, also of a call that failed but has this field in its answer. */
        JsonNode orFailUnless(String field) {
            JsonNode answer = parsed();
            return answer.has(field) ? answer : orFail();
        }

        private JsonNode parsed() {
            try {
                return LauncherJson.MAPPER.readTree(output);
            } catch (JacksonException e) {
                throw unexplained();
            }
        }

        private CortexException unexplained() {
            CortexException failed =
                    failed("the launcher's " + verb + " ended with status " + status + " and no answer");
            return words.isEmpty() ? failed : failed.because(words);
        }
    }
}
