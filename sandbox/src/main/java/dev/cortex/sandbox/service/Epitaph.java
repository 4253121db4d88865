package dev.cortex.sandbox.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why a sandbox died, as far as the host can tell, never guessed. What its console says are the guest's own words: they
 * are shown as such, cut short and without control characters.
 */
final class Epitaph {
    private static final String MEMORY_LOST = "memory_lost";

    /** The tail is enough for last words, and a guest may have written for years. */
    private static final int TAIL = 16_384;

    private static final int SHOWN = 200;

    /** A line of the neuron's log that tells of trouble; what it says in passing is no cause. */
    private static final Pattern TROUBLE =
            Pattern.compile("\\{.*\"level\":\"(?:warn|error|fatal)\".*\"message\":\"((?:[^\"\\\\]|\\\\.)*)\".*");

    /** How Go programs begin to say that they die (runtime/panic.go). */
    private static final Pattern PANIC = Pattern.compile("(?:panic|fatal error|runtime): .*");

    private Epitaph() {}

    /** @param cause what the driver knows */
    static String of(Optional<String> cause, Path folder) {
        return MEMORY_LOST + ": "
                + cause.or(() -> lastWords(folder.resolve("console.log"))
                                .map(words -> "its neuron's last words: " + words))
                        .orElse("cause unknown");
    }

    private static Optional<String> lastWords(Path console) {
        List<String> lines = tail(console).lines().toList();
        Optional<String> panic =
                lines.stream().filter(line -> PANIC.matcher(line).matches()).findFirst();
        return panic.or(() -> lines.reversed().stream()
                        .map(TROUBLE::matcher)
                        .filter(Matcher::matches)
                        .map(line -> line.group(1))
                        .findFirst())
                .map(Epitaph::shown);
    }

    private static String shown(String words) {
        String printable = words.replaceAll("\\p{Cntrl}", "").strip();
        return printable.length() > SHOWN ? printable.substring(0, SHOWN) + "…" : printable;
    }

    private static String tail(Path console) {
        try (FileChannel file = FileChannel.open(console, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            ByteBuffer tail = ByteBuffer.allocate(TAIL);
            file.read(tail, Math.max(0, file.size() - TAIL));
            return new String(tail.array(), 0, tail.position(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
