package dev.cortex.cli.copy;

import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.RawNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** One end of a copy. */
public sealed interface Place {
    /** stdin or stdout. */
    record Stream() implements Place {}

    /** A path of this machine, as it was typed. */
    record Local(Word given) implements Place {
        /** For the JVM, where necessary by a link under another name. */
        Path path() throws IOException {
            return HostText.isNameable(given) ? HostText.path(given) : RawNames.alias(given);
        }

        /** The folder that it lies in. */
        Local folder() {
            byte[] bytes = given.bytes();
            int end = bytes.length;
            while (end > 1 && bytes[end - 1] == '/') {
                end--;
            }
            while (end > 0 && bytes[end - 1] != '/') {
                end--;
            }
            return new Local(end == 0 ? Word.of(".") : given.upTo(end));
        }

        /** The last part of the path; for one that ends in dots, of what they stand for. */
        Word name() {
            Word last = lastPart(given);
            if (last.text().equals(".")
                    || last.text().equals("..")
                    || last.text().equals("/")) {
                Path real = HostText.path(given).toAbsolutePath().normalize();
                return HostText.word(String.valueOf(real.getFileName()));
            }
            return last;
        }

        /** Whether it was typed so that it can only be a folder. */
        boolean isFolderByName() {
            return endsWith(given, '/') || endsInDot();
        }

        /** {@code SOURCE/.} is what is in a folder, not the folder itself. */
        boolean endsInDot() {
            byte[] bytes = given.bytes();
            return bytes.length > 0
                    && bytes[bytes.length - 1] == '.'
                    && (bytes.length == 1 || bytes[bytes.length - 2] == '/');
        }
    }

    /** A path in a sandbox, byte for byte; relative ones begin in its working directory. */
    record Inside(String sandbox, Word path) implements Place {
        boolean isFolderByName() {
            return endsWith(path, '/') || endsInDot();
        }

        boolean endsInDot() {
            byte[] bytes = path.bytes();
            return bytes.length > 0
                    && bytes[bytes.length - 1] == '.'
                    && (bytes.length == 1 || bytes[bytes.length - 2] == '/');
        }

        /** The last part of the path. */
        Word name() {
            return lastPart(path);
        }

        Inside child(Word name) {
            return new Inside(sandbox, joined(path, name));
        }

        @Override
        public String toString() {
            return sandbox + ":" + path.text();
        }
    }

    /** {@code NAME:PATH} is inside; a colon behind a slash, or in a path that begins with a dot, is part of a name here. */
    static Place of(Word word) {
        if (word.text().equals("-")) {
            return new Stream();
        }
        int colon = word.indexOf(':');
        if (colon > 0 && isName(word.upTo(colon).text())) {
            Word path = word.from(colon + 1);
            return new Inside(word.upTo(colon).text(), path.bytes().length == 0 ? Word.of(".") : path);
        }
        return new Local(word);
    }

    private static boolean isName(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_' && !(c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return true;
    }

    static boolean endsWith(Word word, char ascii) {
        byte[] bytes = word.bytes();
        return bytes.length > 0 && bytes[bytes.length - 1] == ascii;
    }

    static Word lastPart(Word path) {
        byte[] bytes = path.bytes();
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        int begin = end;
        while (begin > 0 && bytes[begin - 1] != '/') {
            begin--;
        }
        return Word.of(Arrays.copyOfRange(bytes, begin, end));
    }

    private static Word joined(Word folder, Word name) {
        byte[] from = folder.bytes();
        boolean slash = from.length > 0 && from[from.length - 1] == '/';
        byte[] all = Arrays.copyOf(from, from.length + (slash ? 0 : 1) + name.bytes().length);
        if (!slash) {
            all[from.length] = '/';
        }
        System.arraycopy(name.bytes(), 0, all, all.length - name.bytes().length, name.bytes().length);
        return Word.of(all);
    }
}
