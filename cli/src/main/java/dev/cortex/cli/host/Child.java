package dev.cortex.cli.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A program of this machine, run to its end.
 *
 * @param status its exit status
 * @param output what it wrote to stdout
 */
public record Child(int status, String output) {
    /** Runs it with our stdin and stderr. */
    public static Child run(List<String> argv) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(argv)
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return finish(process);
    }

    /** Runs it with our stdin, and throws away what it says on stderr. */
    public static Child quiet(List<String> argv) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(argv)
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return finish(process);
    }

    private static Child finish(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Child(process.waitFor(), output);
    }
}
