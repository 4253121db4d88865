package dev.cortex.daemon;

import dev.cortex.daemon.http.HttpSurface;
import dev.cortex.daemon.http.OperationTable;
import dev.cortex.daemon.http.Token;
import dev.cortex.daemon.log.DaemonLog;
import dev.cortex.daemon.log.LogLimits;
import dev.cortex.daemon.metrics.Metrics;
import dev.cortex.daemon.settings.DaemonSettings;
import dev.cortex.engine.Cortex;
import dev.cortex.engine.CortexOptions;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.api.SandboxView;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The core, a surface over it, and their end. One in a process. */
final class DaemonProcess {
    /** Of stopping one sandbox at the daemon's end: the neuron's own default. */
    private static final Lifecycle.Stop STOP = new Lifecycle.Stop(Optional.empty());

    private final Home home;
    private final Cortex cortex;
    private final HttpSurface surface;
    private final boolean stopSandboxes;
    private final CountDownLatch ended = new CountDownLatch(1);

    // Not static: the first logger of a process decides how it logs, and that is set up by start().
    private final Logger log = Logger.getLogger(DaemonProcess.class.getName());

    private DaemonProcess(Home home, Cortex cortex, HttpSurface surface, boolean stopSandboxes) {
        this.home = home;
        this.cortex = cortex;
        this.surface = surface;
        this.stopSandboxes = stopSandboxes;
    }

    /**
     * Opens the home and serves it.
     *
     * @throws CortexException OWNED_ELSEWHERE, NOT_READY
     */
    static DaemonProcess start(Home home, DaemonSettings settings, boolean stopSandboxes) {
        makeHome(home);
        installLog(home, settings.log());
        CortexOptions options = settings.options(home);
        CompletableFuture<Cortex> opening =
                CompletableFuture.supplyAsync(() -> Cortex.open(options), Thread::startVirtualThread);
        // Beside it: Jetty takes as long to be built as the home to be opened.
        Waiting table = new Waiting(opening);
        HttpSurface surface;
        Cortex cortex;
        try {
            String version = version(options.installation());
            Metrics metrics = new Metrics(() -> table.await().figures(), version);
            surface = new HttpSurface(table, Token.of(home.token()), version, metrics);
        } finally {
            cortex = table.await();
        }
        try {
            surface.start(home.socket(), settings.port().number(), settings.portRequired());
            DaemonProcess daemon = new DaemonProcess(home, cortex, surface, stopSandboxes);
            daemon.writePort();
            Runtime.getRuntime().addShutdownHook(new Thread(daemon::end, "end"));
            daemon.log.info(daemon.readyLine());
            return daemon;
        } catch (RuntimeException e) {
            surface.close();
            cortex.close();
            throw e;
        }
    }

    /** The operations of a home that is still being opened. */
    private record Waiting(CompletableFuture<Cortex> opening) implements OperationTable {
        Cortex await() {
            try {
                return opening.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof CortexException known ? known : e;
            }
        }

        @Override
        public List<Operation<?, ?>> operations() {
            return Operations.all();
        }

        @Override
        public <Q, R> Handler<Q, R> handler(Operation<Q, R> operation) {
            return await().handler(operation);
        }
    }

    private static void makeHome(Home home) {
        try {
            home.makeFolder();
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.NOT_READY,
                            "cannot make the home " + home.folder(),
                            "set CORTEX_HOME to a folder of yours")
                    .because(e);
        }
    }

    private static void installLog(Home home, LogLimits limits) {
        try {
            DaemonLog.install(home.log(), limits);
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.NOT_READY, "cannot write " + home.log(), "make it writable, or set CORTEX_HOME")
                    .because(e);
        }
    }

    private static String version(Path installation) {
        try {
            return Files.readString(installation.resolve("version")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** For a doctor, which has no other way to know on which port this process serves. */
    private void writePort() {
        try {
            Files.writeString(
                    PortFile.of(home), surface.port().map(String::valueOf).orElse("") + "\n");
        } catch (IOException e) {
            log.log(Level.WARNING, "the port could not be noted", e);
        }
    }

    String readyLine() {
        String tcp = surface.port()
                .map(port -> " and http://127.0.0.1:" + port)
                .orElse(" alone: its port is taken (another with --port)");
        return "cortex: serving " + home.folder() + " on " + home.socket() + tcp;
    }

    void awaitEnd() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** On SIGTERM and SIGINT. Sandboxes run on, unless they are to be stopped. A step that fails stops none after it. */
    private void end() {
        try {
            calmly("closing the connections", surface::close);
            if (stopSandboxes) {
                calmly("stopping the sandboxes", this::stopAll);
            }
            // Before the home is closed, which takes its run folder away where nothing is left in it.
            calmly("removing the socket", () -> Files.deleteIfExists(home.socket()));
            calmly("removing the port's file", () -> Files.deleteIfExists(PortFile.of(home)));
            calmly("closing the home", cortex::close);
            log.info("ended");
        } finally {
            ended.countDown();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void calmly(String what, Step step) {
        try {
            step.run();
        } catch (IOException | RuntimeException e) {
            log.log(Level.SEVERE, what, e);
        }
    }

    private void stopAll() {
        List<Thread> stopping = new ArrayList<>();
        Lifecycle.SandboxList all = cortex.call(Operations.LIST, Map.of(), Map.of(), Optional.empty());
        for (SandboxView sandbox : all.sandboxes()) {
            if (sandbox.state().equals("running") || sandbox.state().equals("paused")) {
                stopping.add(Thread.ofVirtual().start(() -> stop(sandbox)));
            }
        }
        for (Thread thread : stopping) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void stop(SandboxView sandbox) {
        try {
            cortex.call(Operations.STOP, Map.of("sandbox", sandbox.id()), Map.of(), Optional.of(STOP));
        } catch (CortexException e) {
            log.log(Level.WARNING, "stopping " + sandbox.name(), e);
        }
    }
}
