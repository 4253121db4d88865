package dev.cortex.drivers.launch;

import dev.cortex.protocol.home.Home;
import dev.cortex.sandbox.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * First processes, held by a descriptor each from when they are first seen, so that the kernel still tells how they ended
 * when whoever inherited them has collected them. No child of ours is among them. Thread-safe.
 */
public final class HeldProcesses {
    /** Fields of /proc/PID/stat behind the name, counted from the state (proc_pid_stat(5)): start time, exit status. */
    private static final int START_TIME = 19;

    private static final int EXIT_CODE = 49;

    private static final Map<Integer, String> SIGNALS = Map.of(
            1, "HUP", 2, "INT", 3, "QUIT", 4, "ILL", 6, "ABRT", 7, "BUS", 9, "KILL", 11, "SEGV", 15, "TERM", 31, "SYS");

    private final Map<SandboxId, Held> held = new ConcurrentHashMap<>();

    private record Held(FirstProcess first, int descriptor) {}

    /** Begins to hold it, on a thread of its own: a start must not wait for that. */
    public void hold(SandboxId sandbox, FirstProcess first) {
        if (!holds(sandbox, first)) {
            Thread.ofVirtual().name("hold " + sandbox).start(() -> open(sandbox, first));
        }
    }

    private boolean holds(SandboxId sandbox, FirstProcess first) {
        Held present = held.get(sandbox);
        return present != null && present.first().equals(first);
    }

    /** Holds it, unless it has ended: whoever stopped it may have let go of it already, and nobody would again. */
    void open(SandboxId sandbox, FirstProcess first) {
        int descriptor = Pidfd.open(first.pid());
        if (descriptor < 0) {
            return;
        }
        // Read after it was opened: if this agrees, so does the descriptor.
        if (!lives(first) || holds(sandbox, first)) {
            Pidfd.close(descriptor);
            return;
        }
        Held mine = new Held(first, descriptor);
        close(Optional.ofNullable(held.put(sandbox, mine)));
        if (!lives(first) && held.remove(sandbox, mine)) {
            Pidfd.close(descriptor);
        }
    }

    static boolean lives(FirstProcess first) {
        String[] fields = stat(first.pid());
        return fields.length > EXIT_CODE
                && !fields[0].equals("Z")
                && Long.parseLong(fields[START_TIME]) == first.startTime();
    }

    /** How it ended, in words; empty while it lives, and when nobody could see it. */
    public Optional<String> end(SandboxId sandbox, FirstProcess first) {
        Held known = held.get(sandbox);
        Optional<Integer> status =
                known != null && known.first().equals(first) ? Pidfd.exitStatus(known.descriptor()) : Optional.empty();
        return status.or(() -> uncollected(first)).map(HeldProcesses::words);
    }

    public void release(SandboxId sandbox) {
        close(Optional.ofNullable(held.remove(sandbox)));
    }

    private static void close(Optional<Held> over) {
        over.ifPresent(gone -> Pidfd.close(gone.descriptor()));
    }

    /** Of one that has ended, and waits for whoever inherited it. Others than root are shown 0, whatever it was. */
    private static Optional<Integer> uncollected(FirstProcess first) {
        if (Home.uid() != 0) {
            return Optional.empty();
        }
        String[] fields = stat(first.pid());
        boolean dead = fields.length > EXIT_CODE
                && fields[0].equals("Z")
                && Long.parseLong(fields[START_TIME]) == first.startTime();
        return dead ? Optional.of(Integer.parseInt(fields[EXIT_CODE])) : Optional.empty();
    }

    /** @param status in the form of wait(2) */
    static String words(int status) {
        int signal = status & 0x7f;
        if (signal == 0) {
            return "its first process exited with status " + (status >> 8 & 0xff);
        }
        String name = SIGNALS.getOrDefault(signal, "");
        return "its first process was ended by signal " + signal + (name.isEmpty() ? "" : " (" + name + ")");
    }

    /** Behind the last parenthesis: a process chooses its own name. */
    private static String[] stat(int pid) {
        try {
            String text = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return text.substring(text.lastIndexOf(')') + 1).strip().split(" ");
        } catch (IOException e) {
            return new String[0];
        }
    }
}
