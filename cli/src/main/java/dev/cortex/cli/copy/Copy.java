package dev.cortex.cli.copy;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Upload;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Copies one file or folder between two places, at least one of them in a sandbox. */
public final class Copy {
    private static final int BUFFER_BYTES = 256 << 10;

    /** Between two looks at the progress; the kernel moves it without us. */
    private static final long TRANSFER_BYTES = 4 << 20;

    private static final int PERMISSIONS = 0777;

    private final SandboxFiles files;
    private final Output output;
    private final Path launcher;
    private final boolean showsProgress;
    private final Undo undo;
    private Progress progress;

    /**
     * @param user whose rights inside; empty for the sandbox's own user
     * @param undo told what an interruption would leave behind
     */
    public Copy(Daemon daemon, Optional<String> user, Output output, Path launcher, boolean showsProgress, Undo undo) {
        this.files = new SandboxFiles(daemon, user);
        this.output = output;
        this.launcher = launcher;
        this.showsProgress = showsProgress;
        this.undo = undo;
        this.progress = new Progress(output, false, Optional.empty());
    }

    /**
     * @return bytes that were carried, of the archive where it was a folder
     * @throws CortexException what went wrong; the target is then as {@link Undo} says
     */
    public long copy(Place source, Place target) throws UsageException {
        try {
            switch (source) {
                case Place.Local local when target instanceof Place.Inside inside -> upload(local, inside);
                case Place.Stream stream when target instanceof Place.Inside inside -> uploadStdin(inside);
                case Place.Inside inside when target instanceof Place.Local local -> download(inside, local);
                case Place.Inside inside when target instanceof Place.Stream -> downloadStdout(inside);
                case Place.Inside from when target instanceof Place.Inside to -> relay(from, to);
                default ->
                    throw new UsageException(
                            "neither end is in a sandbox", "name one as NAME:PATH, such as api:data.csv");
            }
            return progress.bytes();
        } catch (IOException e) {
            throw failed(e);
        } finally {
            progress.end();
        }
    }

    private static CortexException failed(IOException e) {
        return CortexException.of(ErrorCode.INTERNAL, "the copy failed here: " + e.getMessage(), "");
    }

    private void begin(Optional<Long> total) {
        progress = new Progress(output, showsProgress, total);
    }

    // ---- into a sandbox --------------------------------------------------------------------------------------

    private void upload(Place.Local source, Place.Inside target) throws IOException {
        Path path = source.path();
        if (!Files.exists(path)) {
            throw CortexException.of(ErrorCode.NOT_FOUND, "there is no " + source.given(), "see: ls");
        }
        if (Files.isDirectory(path)) {
            uploadFolder(source, path, target);
        } else {
            uploadFile(path, into(target, source.name()));
        }
    }

    /** The target itself, or within it where it is a folder. */
    private Place.Inside into(Place.Inside target, Word name) {
        Optional<Json> there = files.stat(target);
        boolean folder = there.isPresent() && SandboxFiles.isFolder(there.get());
        if (!folder && target.isFolderByName()) {
            throw CortexException.of(
                    ErrorCode.NOT_FOUND,
                    "there is no folder " + target,
                    "make it: cortex exec " + target.sandbox() + " -- mkdir -p " + target.path());
        }
        return folder ? target.child(name) : target;
    }

    private void uploadFile(Path path, Place.Inside target) throws IOException {
        undo.note(target + " is as it was");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            boolean regular = Files.isRegularFile(path);
            int mode = (int) Files.getAttribute(path, "unix:mode") & PERMISSIONS;
            if (!regular) {
                begin(Optional.empty());
                pour(file, files.write(target, Optional.empty(), Optional.of(mode)));
                return;
            }
            long size = file.size();
            begin(Optional.of(size));
            Upload upload = files.write(target, Optional.of(size), Optional.of(mode));
            for (long sent = 0; sent < size; ) {
                long moved = upload.transfer(file, sent, Math.min(TRANSFER_BYTES, size - sent));
                if (moved == 0) {
                    upload.close();
                    throw new IOException(HostText.text(path) + " became shorter meanwhile");
                }
                sent += moved;
                progress.add(moved);
            }
            upload.finish();
        }
    }

    private void uploadStdin(Place.Inside target) throws IOException {
        if (target.isFolderByName() || isFolder(target)) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT, target + " is a folder", "name the file that stdin becomes");
        }
        undo.note(target + " is as it was");
        begin(Optional.empty());
        try (FileChannel stdin = new FileInputStream(FileDescriptor.in).getChannel()) {
            pour(stdin, files.write(target, Optional.empty(), Optional.empty()));
        }
    }

    private boolean isFolder(Place.Inside place) {
        Optional<Json> there = files.stat(place);
        return there.isPresent() && SandboxFiles.isFolder(there.get());
    }

    private void pour(ReadableByteChannel from, Upload upload) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try {
            while (from.read(buffer.clear()) >= 0) {
                buffer.flip();
                progress.add(buffer.remaining());
                upload.write(buffer);
            }
            upload.finish();
        } finally {
            upload.close();
        }
    }

    private void uploadFolder(Place.Local source, Path path, Place.Inside target) throws IOException {
        Place.Inside folder = folderFor(source.endsInDot(), source.name(), target);
        begin(Optional.empty());
        try (FolderProgram packing = FolderProgram.packing(launcher, path)) {
            Upload upload = files.unpack(folder);
            try {
                pourPacked(packing, upload);
                long skipped = packing.finish();
                upload.finish();
                if (skipped > 0) {
                    output.say("cortex: left out " + skipped + " sockets, pipes or devices");
                }
            } finally {
                upload.close();
            }
        }
    }

    private void pourPacked(FolderProgram packing, Upload upload) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        InputStream from = packing.output();
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            progress.add(read);
            upload.write(ByteBuffer.wrap(buffer, 0, read));
        }
    }

    /** The folder inside that a folder becomes, as {@code cp -r} has it; made where it is not there. */
    private Place.Inside folderFor(boolean contents, Word name, Place.Inside target) {
        Optional<Json> there = files.stat(target);
        if (there.isPresent() && !SandboxFiles.isFolder(there.get())) {
            throw CortexException.of(ErrorCode.INVALID_ARGUMENT, target + " is no folder", "name another target");
        }
        Place.Inside folder = there.isPresent() && !contents ? target.child(name) : target;
        Optional<Json> existing = there.isPresent() && contents ? there : files.stat(folder);
        if (existing.isEmpty()) {
            files.makeFolder(folder);
        } else if (!SandboxFiles.isFolder(existing.get())) {
            throw CortexException.of(ErrorCode.INVALID_ARGUMENT, folder + " is no folder", "remove it first");
        }
        undo.note("what had arrived in " + folder + " stays there");
        return folder;
    }

    // ---- out of a sandbox ------------------------------------------------------------------------------------

    private Json require(Place.Inside source) {
        return files.stat(source)
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.NOT_FOUND,
                        "there is no " + source,
                        "see: cortex exec " + source.sandbox() + " -- ls"));
    }

    private void download(Place.Inside source, Place.Local target) throws IOException {
        Json entry = require(source);
        if (SandboxFiles.isFolder(entry)) {
            downloadFolder(source, target);
            return;
        }
        Path path = target.path();
        if (Files.isDirectory(path)) {
            downloadFile(source, entry, path, source.name());
        } else if (target.isFolderByName()) {
            throw CortexException.of(
                    ErrorCode.NOT_FOUND, "there is no folder " + target.given(), "make it: mkdir -p " + target.given());
        } else if (Files.exists(path) && !Files.isRegularFile(path)) {
            pourInto(source, entry, path);
        } else {
            downloadFile(source, entry, target.folder().path(), target.name());
        }
    }

    /** A device or a pipe is written to, not replaced. */
    private void pourInto(Place.Inside source, Json entry, Path path) throws IOException {
        begin(Optional.of(entry.get("size").whole()));
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            drain(files.read(source), file);
        }
    }

    private void downloadFile(Place.Inside source, Json entry, Path folder, Word name) throws IOException {
        undo.note(name + " is as it was");
        begin(Optional.of(entry.get("size").whole()));
        try (NewFile file = NewFile.in(folder, name, (int) entry.get("mode").whole() & PERMISSIONS)) {
            undo.discard(file.path());
            drain(files.read(source), file.channel());
            file.moveIntoPlace();
        }
    }

    private void downloadStdout(Place.Inside source) throws IOException {
        Json entry = require(source);
        if (SandboxFiles.isFolder(entry)) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    source + " is a folder",
                    "a tar of it: cortex exec " + source.sandbox() + " -- tar -c " + source.path());
        }
        begin(Optional.of(entry.get("size").whole()));
        FileChannel stdout = new FileOutputStream(FileDescriptor.out).getChannel();
        Daemon.Download download = files.read(source);
        try {
            for (Optional<ByteBuffer> next = download.next(); next.isPresent(); next = download.next()) {
                progress.add(next.get().remaining());
                write(stdout, next.get());
            }
        } finally {
            download.close();
        }
    }

    private static void write(FileChannel stdout, ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                stdout.write(bytes);
            }
        } catch (IOException e) {
            throw new Output.BrokenOutput(e);
        }
    }

    private void drain(Daemon.Download download, FileChannel file) throws IOException {
        try {
            for (Optional<ByteBuffer> next = download.next(); next.isPresent(); next = download.next()) {
                ByteBuffer bytes = next.get();
                progress.add(bytes.remaining());
                while (bytes.hasRemaining()) {
                    file.write(bytes);
                }
            }
        } finally {
            download.close();
        }
    }

    private void downloadFolder(Place.Inside source, Place.Local target) throws IOException {
        Path path = target.path();
        if (Files.exists(path) && !Files.isDirectory(path)) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT, target.given() + " is no folder", "name another target");
        }
        if (!Files.exists(path)) {
            downloadNewFolder(source, target.folder().path(), target.name());
        } else if (source.endsInDot()) {
            merge(source, path, target.given());
        } else {
            Word name = source.name();
            boolean there = HostText.isNameable(name) && Files.exists(path.resolve(HostText.path(name)));
            if (there) {
                merge(source, path.resolve(HostText.path(name)), name);
            } else {
                downloadNewFolder(source, path, name);
            }
        }
    }

    private void merge(Place.Inside source, Path folder, Word name) throws IOException {
        undo.note("what had arrived in " + name + " stays there");
        unpack(source, folder);
    }

    private void downloadNewFolder(Place.Inside source, Path folder, Word name) throws IOException {
        undo.note(name + " was not made");
        try (NewFolder made = NewFolder.in(folder, name)) {
            undo.discard(made.path());
            unpack(source, made.path());
            made.moveIntoPlace();
        }
    }

    private void unpack(Place.Inside source, Path folder) throws IOException {
        begin(Optional.empty());
        Daemon.Download download = files.pack(source);
        try (FolderProgram unpacking = FolderProgram.unpacking(launcher, folder)) {
            byte[] copy = new byte[BUFFER_BYTES];
            try {
                for (Optional<ByteBuffer> next = download.next(); next.isPresent(); next = download.next()) {
                    int bytes = next.get().remaining();
                    next.get().get(copy, 0, bytes);
                    unpacking.input().write(copy, 0, bytes);
                    progress.add(bytes);
                }
                unpacking.input().flush();
            } catch (IOException e) {
                // It refused an entry and closed its stdin: its own words come first.
                unpacking.finish();
                throw e;
            }
            unpacking.finish();
        } finally {
            download.close();
        }
    }

    // ---- between sandboxes -----------------------------------------------------------------------------------

    private void relay(Place.Inside source, Place.Inside target) {
        Json entry = require(source);
        boolean folder = SandboxFiles.isFolder(entry);
        Place.Inside place =
                folder ? folderFor(source.endsInDot(), source.name(), target) : into(target, source.name());
        undo.note(folder ? "what had arrived in " + place + " stays there" : place + " is as it was");
        begin(folder ? Optional.empty() : Optional.of(entry.get("size").whole()));
        Daemon.Download download = folder ? files.pack(source) : files.read(source);
        Upload upload = folder
                ? files.unpack(place)
                : files.write(
                        place,
                        download.response().contentLength(),
                        Optional.of((int) entry.get("mode").whole() & PERMISSIONS));
        try {
            for (Optional<ByteBuffer> next = download.next(); next.isPresent(); next = download.next()) {
                progress.add(next.get().remaining());
                upload.write(next.get());
            }
            upload.finish();
        } finally {
            download.close();
            upload.close();
        }
    }
}
