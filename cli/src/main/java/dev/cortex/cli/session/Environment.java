package dev.cortex.cli.session;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The values of {@code --env}. */
public final class Environment {
    private Environment() {}

    /**
     * Each as {@code K=V}; a K alone takes its value from our own environment, and is left out where it has none.
     *
     * @throws UsageException where one has no name
     */
    public static List<Word> withValues(List<Word> given) throws UsageException {
        List<Word> pairs = new ArrayList<>();
        for (Word word : given) {
            int equals = word.indexOf('=');
            if (equals == 0 || word.bytes().length == 0) {
                throw new UsageException("--env '" + word.text() + "' has no name", "write: --env NAME=VALUE");
            }
            if (equals > 0) {
                pairs.add(word);
                continue;
            }
            Optional<Word> pair = ours(word);
            if (pair.isPresent()) {
                pairs.add(pair.get());
            }
        }
        return pairs;
    }

    /** Byte for byte as we were started with it: Java decodes its own copy with losses. */
    private static Optional<Word> ours(Word name) {
        try (FileInputStream file = new FileInputStream("/proc/self/environ")) {
            return find(file.readAllBytes(), name.bytes());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** In pairs that end with a NUL each. */
    static Optional<Word> find(byte[] environment, byte[] name) {
        int from = 0;
        for (int i = 0; i < environment.length; i++) {
            if (environment[i] == 0) {
                byte[] pair = Arrays.copyOfRange(environment, from, i);
                if (pair.length > name.length
                        && pair[name.length] == '='
                        && Arrays.equals(name, Arrays.copyOf(pair, name.length))) {
                    return Optional.of(Word.of(pair));
                }
                from = i + 1;
            }
        }
        return Optional.empty();
    }
}
