package dev.cortex.cli.host;

import dev.cortex.cli.command.Word;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;

/**
 * Names of this machine between bytes and Java's strings. The JVM encodes them as the locale does, which ./cortex sets to
 * UTF-8; what is not UTF-8 it cannot name at all, see {@link RawNames}.
 */
public final class HostText {
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private HostText() {}

    /** The string that the JVM takes for those bytes. */
    public static String string(byte[] bytes) {
        return new String(bytes, NAMES);
    }

    /** Whether this JVM can name it. */
    public static boolean isNameable(Word word) {
        return Arrays.equals(string(word.bytes()).getBytes(NAMES), word.bytes());
    }

    /**
     * @throws InvalidPathException where this JVM cannot name it
     */
    public static Path path(Word word) {
        return Path.of(string(word.bytes()));
    }

    public static Path path(String text) {
        return path(Word.of(text));
    }

    /** What the JVM gave, such as a path or a variable, as bytes and text. */
    public static Word word(String given) {
        return Word.of(given.getBytes(NAMES));
    }

    /** A path for people. */
    public static String text(Path path) {
        return word(path.toString()).text();
    }

    /** The names of all variables of the environment. */
    public static String[] variableNames() {
        return new TreeSet<>(System.getenv().keySet()).toArray(new String[0]);
    }

    /** A variable of the environment, empty where it is not set. */
    public static String variable(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) {
            return "";
        }
        return new String(value.getBytes(NAMES), StandardCharsets.UTF_8);
    }
}
