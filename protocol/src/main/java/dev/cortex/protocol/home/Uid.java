package dev.cortex.protocol.home;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Who this process is. Read from /proc, since Java has no call for it and a file attribute would load much more. */
final class Uid {
    private Uid() {}

    static long effective() {
        try (FileInputStream status = new FileInputStream("/proc/self/status")) {
            return effective(new String(status.readAllBytes(), StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException("reading /proc/self/status", e);
        }
    }

    /** The second number of the line {@code Uid: real effective saved filesystem}. */
    static long effective(String status) {
        int line = status.indexOf("\nUid:");
        int real = status.indexOf('\t', line);
        int effective = status.indexOf('\t', real + 1);
        int end = status.indexOf('\t', effective + 1);
        if (line < 0 || end < 0) {
            throw new IllegalStateException("/proc/self/status has no line Uid:");
        }
        return Long.parseLong(status, effective + 1, end, 10);
    }
}
