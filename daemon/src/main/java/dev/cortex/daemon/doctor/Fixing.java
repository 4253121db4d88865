package dev.cortex.daemon.doctor;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** Runs the commands that only install packages, and says so. */
public final class Fixing {
    private final PrintStream words;

    /** @param words where progress goes */
    public Fixing(PrintStream words) {
        this.words = words;
    }

    /** Runs each; true when all of them ended well. */
    public boolean run(List<String> commands) throws IOException, InterruptedException {
        boolean allWell = true;
        for (String command : commands) {
            words.println("cortex: running: " + command);
            // A shell, because a fix is what a person would type, sudo and all. Its words are our drivers' own.
            Process process = new ProcessBuilder("sh", "-c", command + " >&2")
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            int status = process.waitFor();
            words.println(status == 0 ? "cortex: done" : "cortex: it failed with status " + status);
            allWell &= status == 0;
        }
        return allWell;
    }
}
