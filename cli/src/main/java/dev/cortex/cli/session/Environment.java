package dev.cortex.cli.session;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.host.HostText;
import java.util.ArrayList;
import java.util.List;

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
            String value = System.getenv(HostText.string(word.bytes()));
            if (value != null) {
                pairs.add(joined(word, HostText.word(value)));
            }
        }
        return pairs;
    }

    private static Word joined(Word name, Word value) {
        byte[] pair = new byte[name.bytes().length + 1 + value.bytes().length];
        System.arraycopy(name.bytes(), 0, pair, 0, name.bytes().length);
        pair[name.bytes().length] = '=';
        System.arraycopy(value.bytes(), 0, pair, name.bytes().length + 1, value.bytes().length);
        return Word.of(pair);
    }
}
