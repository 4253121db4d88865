package dev.cortex.cli.host;

import dev.cortex.cli.command.Word;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The arguments of this process byte for byte. What {@code main} gets was decoded with losses where LANG is not UTF-8. */
public final class Arguments {
    private Arguments() {}

    /**
     * @param decoded what {@code main} got: their number says how many of the process's arguments are ours
     */
    public static List<Word> exact(String[] decoded) {
        try (FileInputStream file = new FileInputStream("/proc/self/cmdline")) {
            return last(file.readAllBytes(), decoded.length);
        } catch (IOException e) {
            List<Word> words = new ArrayList<>();
            for (String word : decoded) {
                words.add(Word.of(word));
            }
            return words;
        }
    }

    /** The last {@code count} of the arguments, each of which ends with a NUL. */
    static List<Word> last(byte[] commandLine, int count) {
        int begin = commandLine.length;
        for (int found = 0; found < count && begin > 0; found++) {
            begin--;
            while (begin > 0 && commandLine[begin - 1] != 0) {
                begin--;
            }
        }
        List<Word> words = new ArrayList<>(count);
        int from = begin;
        for (int i = begin; i < commandLine.length; i++) {
            if (commandLine[i] == 0) {
                words.add(Word.of(Arrays.copyOfRange(commandLine, from, i)));
                from = i + 1;
            }
        }
        return words;
    }
}
