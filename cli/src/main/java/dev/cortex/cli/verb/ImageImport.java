package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.copy.Progress;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.RandomBytes;
import dev.cortex.cli.http.Connection;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.http.Upload;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** {@code cortex image import}; Ctrl-C meanwhile cancels it and waits until nothing of it is left. */
final class ImageImport {
    private static final long POLL_MILLIS = 250;

    /** The daemon deletes what was unpacked, which may take a while; one that hangs must not hang us. */
    private static final int CANCEL_POLLS = 240;

    private static final int BUFFER = 1 << 18;

    /** Registries refuse larger configurations. */
    private static final long CONFIG_BYTES = 8L << 20;

    private final Context context;
    private final Invocation invocation;
    private final Output output;
    private final String key = RandomBytes.digits(20);
    private Optional<Connection> connection = Optional.empty();
    private boolean cancelled;

    ImageImport(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    /** The image as the daemon shows it. */
    Json run(Word source) throws UsageException {
        return source.text().equals("-") ? send() : byPath(source);
    }

    private Json byPath(Word source) throws UsageException {
        Path path = HostText.path(source).toAbsolutePath().normalize();
        Json.Building request = Json.object()
                .put("path", HostText.text(path))
                .put("name", invocation.text("name"))
                .put("select", invocation.text("select"))
                .put("progress_key", key);
        Json config = new RootConfig(invocation).ofRequest(file());
        if (config.isPresent()) {
            request.put("config", config);
        }
        byte[] body = JsonText.write(request.build());
        Signals.handle("INT", this::cancel);
        Signals.handle("TERM", this::cancel);
        Thread watch = watch();
        try {
            return context.daemon().call(Request.of(Operations.IMAGE_IMPORT).json(body), this::began);
        } catch (CortexException e) {
            if (isCancelled()) {
                throw awaitCancelled();
            }
            throw e;
        } finally {
            watch.interrupt();
        }
    }

    /** What the file of {@code --config} holds. */
    private Optional<Json> file() throws UsageException {
        Optional<Word> named = invocation.value("config");
        if (named.isEmpty()) {
            return Optional.empty();
        }
        Path path = HostText.path(named.get());
        try {
            if (Files.size(path) > CONFIG_BYTES) {
                throw new UsageException(
                        named.get().text() + " is too large for a configuration", "give its JSON file");
            }
            return Optional.of(JsonText.read(Files.readAllBytes(path)));
        } catch (IOException e) {
            throw new UsageException(
                    named.get().text() + " cannot be read as JSON: " + e.getMessage(),
                    "give an OCI image configuration, or what docker inspect calls Config");
        }
    }

    /** From stdin, through the daemon's own door for archives. */
    private Json send() throws UsageException {
        Request request = Request.of(Operations.IMAGE_UPLOAD);
        invocation.text("name").ifPresent(name -> request.query("name", name));
        invocation.text("select").ifPresent(name -> request.query("select", name));
        Json config = new RootConfig(invocation).ofUpload(file());
        if (config.isPresent()) {
            request.query("config", new String(JsonText.write(config), java.nio.charset.StandardCharsets.UTF_8));
        }
        Upload upload = context.daemon().upload(request, Optional.empty());
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try (FileInputStream stdin = new FileInputStream(FileDescriptor.in)) {
            ReadableByteChannel from = stdin.getChannel();
            while (from.read(buffer) >= 0) {
                buffer.flip();
                upload.write(buffer);
                buffer.clear();
            }
        } catch (IOException e) {
            upload.close();
            throw CortexException.of(ErrorCode.INVALID_ARGUMENT, "stdin cannot be read", "try again")
                    .because(e);
        }
        return upload.finish();
    }

    private synchronized void began(Connection open) {
        connection = Optional.of(open);
        if (cancelled) {
            close();
        }
    }

    private synchronized void cancel() {
        if (!cancelled) {
            cancelled = true;
            output.say("cortex: cancelling …");
            close();
        }
    }

    private synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Closing the request is what tells the daemon. */
    private void close() {
        try {
            if (connection.isPresent()) {
                connection.get().close();
            }
        } catch (IOException e) {
            // Closed is closed.
        }
    }

    private CortexException awaitCancelled() {
        for (int poll = 0; poll < CANCEL_POLLS; poll++) {
            if (going().isEmpty()) {
                return CortexException.of(ErrorCode.CANCELLED, "cancelled, nothing of it is left", "");
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return CortexException.of(
                ErrorCode.CANCELLED, "cancelled; the daemon is still removing it", "see: cortex image ls");
    }

    private Optional<Json> going() {
        Json imports = context.daemon().call(Request.of(Operations.IMAGE_IMPORTS));
        for (Json each : imports.get("imports").items()) {
            if (each.get("key").text().equals(key)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Shows on a terminal how far it is; elsewhere nothing. */
    private Thread watch() {
        Thread thread = new Thread(this::show, "cortex-import");
        thread.setDaemon(true);
        if (Descriptors.isTerminal(2) && !output.json()) {
            thread.start();
        }
        return thread;
    }

    private void show() {
        long begun = System.nanoTime();
        boolean shown = false;
        try {
            while (!Thread.interrupted() && !isCancelled()) {
                Thread.sleep(POLL_MILLIS * 2);
                Optional<Json> going = going();
                if (going.isPresent() && !isCancelled()) {
                    Json at = going.get();
                    long total = at.get("total").whole();
                    output.write("\r" + at.get("doing").text() + "  "
                            + Progress.line(
                                    at.get("done").whole(),
                                    total > 0 ? Optional.of(total) : Optional.empty(),
                                    System.nanoTime() - begun)
                            + "\u001b[K");
                    shown = true;
                }
            }
        } catch (InterruptedException e) {
            // It is done.
        } catch (CortexException e) {
            // The import itself will tell.
        }
        if (shown) {
            output.write("\r\u001b[K");
        }
    }
}
