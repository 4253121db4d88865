package dev.cortex.daemon.doctor;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** Runs the commands that only install packages, and says so. */
public final class Fixing {
    private static final String INSTALL = "apt-get install";

    private final PrintStream words;

    /** @param words where progress goes */
    public Fixing(PrintStream words) {
        this.words = words;
    }

    /** Runs each; true when all of them ended well. */
    public boolean run(List<String> commands) throws IOException, InterruptedException {
        boolean allWell = true;
        for (String command : commands) {
            // A new machine has no package lists, and an old one stale ones.
            boolean well = runOne(command) || (refreshes(command) && runOne(refresh(command)) && runOne(command));
            words.println(well ? "cortex: done" : "cortex: it failed; run it yourself to see more: " + command);
            allWell &= well;
        }
        return allWell;
    }

    private static boolean refreshes(String command) {
        return command.contains(INSTALL);
    }

    /** With the same {@code sudo} before it, if there is one. */
    static String refresh(String command) {
        return command.substring(0, command.indexOf(INSTALL)) + "apt-get update";
    }

    private boolean runOne(String command) throws IOException, InterruptedException {
        words.println("cortex: running: " + command);
        // A shell, because a fix is what a person would type, sudo and all. Its words are our drivers' own.
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", command + " >&2")
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        shell.environment().put("DEBIAN_FRONTEND", "noninteractive");
        return shell.start().waitFor() == 0;
    }
}
