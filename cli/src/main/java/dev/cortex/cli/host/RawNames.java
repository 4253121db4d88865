package dev.cortex.cli.host;

import dev.cortex.cli.command.Word;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Files whose names this JVM cannot spell. A shell can: it reads its commands, byte for byte, from a pipe. Costs a child
 * each, and is needed for nothing but such names.
 */
public final class RawNames {
    private static final byte QUOTE = '\'';
    private static final byte[] QUOTED_QUOTE = "'\\''".getBytes(StandardCharsets.ISO_8859_1);

    private RawNames() {}

    /** A link to it, under a name that can be spelled, in a folder that goes when this process ends. */
    public static Path alias(Word path) throws IOException {
        Path folder = Files.createTempDirectory("cortex-name-");
        Path link = folder.resolve("link");
        folder.toFile().deleteOnExit();
        link.toFile().deleteOnExit();
        Word absolute = path.bytes().length > 0 && path.bytes()[0] == '/' ? path : beneath(Path.of(""), path);
        run("ln -s -- ", absolute, HostText.word(link.toString()));
        return link;
    }

    /** Moves it into a folder under a name that cannot be spelled, replacing what is there. */
    public static void move(Path from, Path folder, Word name) throws IOException {
        run("mv -fT -- ", HostText.word(from.toAbsolutePath().toString()), beneath(folder, name));
    }

    private static Word beneath(Path folder, Word name) {
        ByteArrayOutputStream path = new ByteArrayOutputStream();
        path.writeBytes(HostText.word(folder.toAbsolutePath().toString()).bytes());
        path.write('/');
        path.writeBytes(name.bytes());
        return Word.of(path.toByteArray());
    }

    private static void run(String command, Word first, Word second) throws IOException {
        Process shell = new ProcessBuilder(List.of("/bin/sh"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (OutputStream script = shell.getOutputStream()) {
            script.write(command.getBytes(StandardCharsets.ISO_8859_1));
            script.write(quoted(first));
            script.write(' ');
            script.write(quoted(second));
            script.write('\n');
        }
        try {
            if (shell.waitFor() != 0) {
                throw new IOException(command.strip() + " " + first + " " + second + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static byte[] quoted(Word word) {
        ByteArrayOutputStream quoted = new ByteArrayOutputStream();
        quoted.write(QUOTE);
        for (byte b : word.bytes()) {
            if (b == QUOTE) {
                quoted.writeBytes(QUOTED_QUOTE);
            } else {
                quoted.write(b);
            }
        }
        quoted.write(QUOTE);
        return quoted.toByteArray();
    }
}
