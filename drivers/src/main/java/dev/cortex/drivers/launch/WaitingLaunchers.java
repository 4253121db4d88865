package dev.cortex.drivers.launch;

import dev.cortex.protocol.error.CortexException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Launchers that were started ahead and wait for the sandbox that they are to start: what the start of a process costs is
 * then paid before. They have made nothing yet, and end by themselves with this process, which holds the other end of
 * their standard input. Thread-safe.
 */
public final class WaitingLaunchers implements AutoCloseable {
    /** More would wait for nobody: starts that come together wait for the processors. */
    public static final int MOST = 16;

    private static final System.Logger LOG = System.getLogger(WaitingLaunchers.class.getName());

    private final LauncherProcess starting;
    private final Path program;
    private final int most;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private boolean filling;
    private boolean closed;

    private record Waiting(Process process, String program) {}

    /** @param most so many wait; 0: none, and a start spawns its own */
    public WaitingLaunchers(Installation installation, int most) {
        this(installation.launcher(), most);
    }

    WaitingLaunchers(Path program, int most) {
        if (most < 0 || most > MOST) {
            throw new IllegalArgumentException("0 to " + MOST + " launchers can wait");
        }
        this.program = program;
        this.most = most;
        this.starting = new LauncherProcess(program, "start", List.of("--waiting"));
    }

    /** None ever waits. */
    static WaitingLaunchers none(Path program) {
        return new WaitingLaunchers(program, 0);
    }

    /** Makes those that are missing, on another thread. */
    public void refill() {
        if (most > 0) {
            Thread.ofVirtual().name("launchers").start(this::fill);
        }
    }

    /** One that waits, which the caller has alone; empty where there is none. */
    synchronized Optional<Process> take() {
        while (!waiting.isEmpty()) {
            Waiting first = waiting.remove();
            if (first.process().isAlive() && first.program().equals(seen())) {
                return Optional.of(first.process());
            }
            // It was killed, or another build has taken its place: that one belongs to this neuron.
            first.process().destroyForcibly();
        }
        return Optional.empty();
    }

    /** How many wait. */
    public synchronized int count() {
        return waiting.size();
    }

    /** Nothing is held while one is spawned: whoever comes meanwhile spawns its own and waits for none of these. */
    private void fill() {
        if (!begins()) {
            return;
        }
        while (isShort()) {
            try {
                add(new Waiting(starting.spawn(), seen()));
            } catch (CortexException e) {
                LOG.log(System.Logger.Level.DEBUG, () -> "no launcher waits: " + e.getMessage());
                ends();
                return;
            }
        }
    }

    /** False where another thread fills already, which will see what is missing now. */
    private synchronized boolean begins() {
        boolean mine = !filling && !closed;
        filling |= mine;
        return mine;
    }

    /** In one step with the end of filling, so that nobody who takes one meanwhile is passed over. */
    private synchronized boolean isShort() {
        filling = !closed && waiting.size() < most;
        return filling;
    }

    private synchronized void ends() {
        filling = false;
    }

    private synchronized void add(Waiting another) {
        if (closed) {
            another.process().destroyForcibly();
        } else {
            waiting.add(another);
        }
    }

    private String seen() {
        try {
            BasicFileAttributes file = Files.readAttributes(program, BasicFileAttributes.class);
            return file.fileKey() + " " + file.size() + " "
                    + file.lastModifiedTime().toMillis();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        waiting.forEach(each -> each.process().destroyForcibly());
        waiting.clear();
    }
}
