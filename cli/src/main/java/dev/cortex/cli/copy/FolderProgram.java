package dev.cortex.cli.copy;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The host program that turns a folder of this machine into a tar and back: it opens each entry beneath the folder, so
 * that no name and no link of a sandbox leads out of it.
 */
final class FolderProgram implements AutoCloseable {
    private static final int WORDS_BYTES = 16 << 10;

    private final Process process;
    private final StringBuffer words = new StringBuffer();
    private final Thread listening;

    private FolderProgram(Process process) {
        this.process = process;
        this.listening = new Thread(this::listen, "cortex-folder-words");
        listening.setDaemon(true);
        listening.start();
    }

    /** Writes a tar of what lies beneath the folder to {@link #output}. */
    static FolderProgram packing(Path launcher, Path folder) {
        return start(List.of(launcher.toString(), "pack", folder.toString()));
    }

    /** Reads a tar from {@link #input} and puts what is in it beneath the folder, which exists. */
    static FolderProgram unpacking(Path launcher, Path folder) {
        return start(List.of(launcher.toString(), "unpack", folder.toString()));
    }

    private static FolderProgram start(List<String> argv) {
        try {
            return new FolderProgram(new ProcessBuilder(argv).start());
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.NOT_READY, "cannot run " + argv.getFirst(), "build it: ./dev build")
                    .because(e);
        }
    }

    InputStream output() {
        return process.getInputStream();
    }

    OutputStream input() {
        return process.getOutputStream();
    }

    private void listen() {
        try (InputStream stderr = process.getErrorStream()) {
            byte[] buffer = new byte[4096];
            for (int read = stderr.read(buffer); read >= 0; read = stderr.read(buffer)) {
                if (words.length() < WORDS_BYTES) {
                    words.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            // It ended.
        }
    }

    /**
     * Waits for its end.
     *
     * @return how many entries it left out: sockets, pipes and devices
     * @throws CortexException in its own words when it failed
     */
    long finish() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has closed its end first; its status says why.
        }
        try {
            int status = process.waitFor();
            listening.join();
            if (status != 0) {
                throw failure(status);
            }
            return skipped();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "interrupted", "");
        }
    }

    private long skipped() {
        try {
            return JsonText.read(words.toString().getBytes(StandardCharsets.UTF_8))
                    .get("skipped")
                    .whole();
        } catch (JsonText.NotJsonException e) {
            return 0;
        }
    }

    /** Its words are a JSON record where it knows what went wrong. */
    private CortexException failure(int status) {
        String said = words.toString().strip();
        try {
            Json record = JsonText.read(said.getBytes(StandardCharsets.UTF_8));
            Json error = record.get("error").isPresent() ? record.get("error") : record;
            ErrorCode code = ErrorCode.named(error.get("code").text()).orElse(ErrorCode.INTERNAL);
            if (!error.get("message").text().isEmpty()) {
                return CortexException.of(
                        code, error.get("message").text(), error.get("remedy").text());
            }
        } catch (JsonText.NotJsonException e) {
            // Plain words.
        }
        return CortexException.of(
                ErrorCode.INTERNAL, said.isEmpty() ? "the folder program ended with status " + status : said, "");
    }

    @Override
    public void close() {
        process.destroy();
    }
}
