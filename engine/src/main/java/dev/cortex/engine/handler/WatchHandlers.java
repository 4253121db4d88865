package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Files;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.Change;
import dev.cortex.sandbox.guest.FileWatch;
import dev.cortex.sandbox.service.Running;
import dev.cortex.sandbox.service.SandboxService;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Watches of files. A client that is slow slows the watch down, until the kernel's queue tells of a rescan. */
final class WatchHandlers {
    private final SandboxService sandboxes;

    WatchHandlers(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.FILE_WATCH, (Handler.Events<Files.Change>) this::watch);
    }

    private AutoCloseable watch(Call<Void> call, Handler.Sink<Files.Change> to) {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        boolean recursive = parameters.text("recursive").isEmpty() || parameters.flag("recursive");
        FileWatch watch = running.guest()
                .files()
                .watch(parameters.guestPath(running.row().settings().user()), recursive);
        Thread reader = Thread.ofVirtual().name("watch").start(() -> tell(watch, to));
        return () -> {
            watch.close();
            // It may wait for a client that is gone.
            reader.interrupt();
        };
    }

    private static void tell(FileWatch watch, Handler.Sink<Files.Change> to) {
        try {
            for (Optional<List<Change>> next = watch.next(); next.isPresent(); next = watch.next()) {
                for (Change change : next.get()) {
                    to.put(view(change));
                }
            }
            to.end();
        } catch (CortexException e) {
            fail(e, to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void fail(CortexException e, Handler.Sink<Files.Change> to) {
        try {
            to.put(new Files.Change(
                    "failed",
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(e.code().name()),
                    Optional.of(e.getMessage())));
            to.end();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Files.Change view(Change change) {
        Texts path = Texts.of(change.path());
        Optional<Texts> from = change.from().length == 0 ? Optional.empty() : Optional.of(Texts.of(change.from()));
        return new Files.Change(
                change.kind().name().toLowerCase(Locale.ROOT),
                change.folder(),
                path.text(),
                path.base64(),
                from.flatMap(Texts::text),
                from.flatMap(Texts::base64),
                Optional.empty(),
                Optional.empty());
    }
}
