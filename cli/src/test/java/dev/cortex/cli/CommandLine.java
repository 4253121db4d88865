package dev.cortex.cli;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the real command in a process of its own, against the home of a test. */
final class CommandLine {
    private static final long DEADLINE_SECONDS = 60;

    private final ProcessBuilder builder;

    CommandLine(Path home, String... words) {
        List<String> argv = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Cortex.class.getName()));
        argv.addAll(List.of(words));
        builder = new ProcessBuilder(argv);
        builder.environment().keySet().removeIf(name -> name.startsWith("CORTEX_") || name.equals("CI"));
        builder.environment().put("CORTEX_HOME", home.toString());
        builder.environment().put("CORTEX_DISK_POOL", "folder");
        builder.environment().put("CORTEX_POOL", "0");
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.redirectInput(new File("/dev/null"));
    }

    CommandLine env(String name, String value) {
        builder.environment().put(name, value);
        return this;
    }

    CommandLine in(Path folder) {
        builder.directory(folder.toFile());
        return this;
    }

    CommandLine stdin(Path file) {
        builder.redirectInput(file.toFile());
        return this;
    }

    /** The same command given to a shell as {@code "$@"}, which can make bytes that a JVM cannot pass on. */
    CommandLine inShell(String line) {
        builder.command().addAll(0, List.of("/bin/sh", "-c", line, "sh"));
        return this;
    }

    CommandLine openStdin() {
        builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        return this;
    }

    CommandLine option(String option) {
        builder.command().add(1, option);
        return this;
    }

    Process start() throws IOException {
        return builder.start();
    }

    Ended run() throws IOException, InterruptedException {
        return end(start());
    }

    /** Waits for its end and collects what it wrote. */
    static Ended end(Process process) throws IOException, InterruptedException {
        ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        Thread reading = Thread.ofVirtual().start(() -> {
            try (InputStream from = process.getErrorStream()) {
                from.transferTo(stderr);
            } catch (IOException e) {
                // It ended.
            }
        });
        byte[] stdout = process.getInputStream().readAllBytes();
        if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the command does not end");
        }
        reading.join();
        return new Ended(process.exitValue(), stdout, stderr.toString(StandardCharsets.UTF_8));
    }

    /** What a process left behind. */
    record Ended(int status, byte[] bytes, String stderr) {
        String stdout() {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }
}
