package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Files;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.guest.GuestFiles;
import dev.cortex.sandbox.guest.GuestFiles.FileEntry;
import dev.cortex.sandbox.guest.GuestFiles.FileListing;
import dev.cortex.sandbox.guest.GuestFiles.GuestPath;
import dev.cortex.sandbox.service.Running;
import dev.cortex.sandbox.service.SandboxService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Files of a running sandbox, by its neuron. */
final class FileHandlers {
    private static final int LISTED = 10_000;
    private static final int DEEPEST = 64;

    private final SandboxService sandboxes;

    FileHandlers(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.FILE_READ, (Handler.Download) this::read);
        handlers.put(Operations.FILE_WRITE, (Handler.Upload<Files.Entry>)
                (call, from) -> onDisk(call, () -> write(call, from)));
        handlers.put(Operations.ARCHIVE_READ, (Handler.Download) this::pack);
        handlers.put(Operations.ARCHIVE_WRITE, (Handler.Upload<Daemon.Nothing>)
                (call, tar) -> onDisk(call, () -> unpack(call, tar)));
        handlers.put(Operations.FILE_STAT, (Handler.Json<Void, Files.Entry>) this::stat);
        handlers.put(Operations.FILE_LIST, (Handler.Json<Void, Files.Listing>) this::list);
        handlers.put(Operations.FILE_MKDIR, (Handler.Json<Files.MakeDirectory, Files.Entry>)
                call -> onDisk(call, () -> makeDirectory(call)));
        handlers.put(
                Operations.FILE_MOVE, (Handler.Json<Files.Move, Files.Entry>) call -> onDisk(call, () -> move(call)));
        handlers.put(Operations.FILE_REMOVE, (Handler.Json<Void, Files.Removed>) this::remove);
        handlers.put(Operations.FILE_RESOLVE, (Handler.Json<Void, Files.Resolved>) this::resolve);
    }

    private <T> T onDisk(Call<?> call, Supplier<T> work) {
        return FullDisk.told(sandboxes.find(call.sandbox()), work);
    }

    private void read(Call<Void> call, Handler.Answer answer) throws IOException {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        long offset = parameters.number("offset", 0, 0, Long.MAX_VALUE);
        long length = parameters.number("length", 0, 0, Long.MAX_VALUE);
        LateChannel to = new LateChannel(answer);
        try {
            running.guest()
                    .files()
                    .read(
                            path(parameters, running),
                            offset,
                            length,
                            file -> to.begin(contentLength(file, offset, length)),
                            to);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Files of /proc and the like say 0 and have content: their length is left open. */
    private static Map<String, String> contentLength(FileEntry file, long offset, long length) {
        long rest = Math.max(0, file.size() - offset);
        long bytes = length == 0 ? rest : Math.min(length, rest);
        return file.size() == 0 ? Map.of() : Map.of("Content-Length", Long.toString(bytes));
    }

    private Files.Entry write(Call<Void> call, ReadableByteChannel from) {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        GuestPath path = path(parameters, running);
        GuestFiles files = running.guest().files();
        files.write(
                path,
                from,
                parameters.number("offset", 0, 0, Long.MAX_VALUE),
                parameters.mode("mode"),
                parameters.flag("parents"));
        return Views.entry(files.stat(path, true));
    }

    private void pack(Call<Void> call, Handler.Answer answer) throws IOException {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        LateChannel to = new LateChannel(answer);
        try {
            running.guest().files().pack(path(parameters, running), file -> to.begin(Map.of()), to);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private Daemon.Nothing unpack(Call<Void> call, ReadableByteChannel tar) {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        running.guest().files().unpack(path(parameters, running), tar, parameters.flag("keep_owners"));
        return new Daemon.Nothing();
    }

    private Files.Entry stat(Call<Void> call) {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        return Views.entry(running.guest().files().stat(path(parameters, running), parameters.flag("follow")));
    }

    private Files.Listing list(Call<Void> call) {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        int depth = (int) parameters.number("depth", 1, 0, DEEPEST);
        int most = (int) parameters.number("most", LISTED, 1, LISTED);
        byte[] after = parameters.text("after").orElse("").getBytes(StandardCharsets.UTF_8);
        FileListing listing = running.guest().files().list(path(parameters, running), depth, most, after);
        List<Files.Entry> entries = listing.entries().stream().map(Views::entry).toList();
        if (!listing.truncated()) {
            return new Files.Listing(entries, Optional.empty());
        }
        // The next page begins behind a path that can be written down; what is left out here comes again there.
        int shown = entries.size();
        while (shown > 0 && entries.get(shown - 1).path().isEmpty()) {
            shown--;
        }
        if (shown == 0) {
            throw CortexException.of(
                    ErrorCode.UNSUPPORTED,
                    "a whole page of names that are not UTF-8 cannot be continued",
                    "list with a larger page, or copy the folder");
        }
        return new Files.Listing(
                entries.subList(0, shown), entries.get(shown - 1).path());
    }

    private Files.Entry makeDirectory(Call<Files.MakeDirectory> call) {
        Files.MakeDirectory request = call.request();
        Running running = sandboxes.running(call.sandbox());
        GuestPath path = path(request.path(), request.user(), running);
        GuestFiles files = running.guest().files();
        files.makeDirectory(
                path, request.parents().orElse(false), request.mode().orElse(0));
        return Views.entry(files.stat(path, true));
    }

    private Files.Entry move(Call<Files.Move> call) {
        Files.Move request = call.request();
        Running running = sandboxes.running(call.sandbox());
        GuestPath to = path(request.to(), request.user(), running);
        GuestFiles files = running.guest().files();
        files.move(
                path(request.from(), request.user(), running),
                to,
                request.replace().orElse(false));
        return Views.entry(files.stat(to, false));
    }

    private Files.Removed remove(Call<Void> call) {
        Parameters parameters = new Parameters(call);
        Running running = sandboxes.running(call.sandbox());
        return new Files.Removed(
                running.guest().files().remove(path(parameters, running), parameters.flag("recursive")));
    }

    private Files.Resolved resolve(Call<Void> call) {
        Running running = sandboxes.running(call.sandbox());
        GuestFiles.Resolved resolved = running.guest().files().resolve(path(new Parameters(call), running));
        Texts path = Texts.of(resolved.path());
        return new Files.Resolved(path.text(), path.base64(), resolved.exists());
    }

    private static GuestPath path(Parameters parameters, Running running) {
        return parameters.guestPath(running.row().settings().user());
    }

    private static GuestPath path(String path, Optional<String> user, Running running) {
        return new GuestPath(
                Parameters.requirePath(path.getBytes(StandardCharsets.UTF_8)),
                user.orElse(running.row().settings().user()));
    }
}
