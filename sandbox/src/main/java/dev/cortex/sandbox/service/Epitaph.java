package dev.cortex.sandbox.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Why a sandbox died, as far as the host can tell: the last line of its console, which is the guest's own words. */
final class Epitaph {
    private static final String MEMORY_LOST = "memory_lost";

    /** The tail is enough for a last line, and a guest may have written for years. */
    private static final int TAIL = 4_096;

    private static final int LINE = 200;

    private Epitaph() {}

    static String of(Path folder) {
        String last = lastLine(folder.resolve("console.log"));
        return last.isEmpty() ? MEMORY_LOST : MEMORY_LOST + ": " + last;
    }

    private static String lastLine(Path console) {
        try (FileChannel file = FileChannel.open(console, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer tail = ByteBuffer.allocate(TAIL);
            file.read(tail, Math.max(0, file.size() - TAIL));
            String text = new String(tail.array(), 0, tail.position(), StandardCharsets.UTF_8);
            String last = text.lines().filter(line -> !line.isBlank()).reduce("", (before, line) -> line);
            String printable = last.replaceAll("\\p{Cntrl}", "").strip();
            return printable.length() > LINE ? printable.substring(0, LINE) + "…" : printable;
        } catch (IOException e) {
            return "";
        }
    }
}
