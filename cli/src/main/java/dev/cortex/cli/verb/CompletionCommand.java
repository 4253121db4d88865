package dev.cortex.cli.verb;

import dev.cortex.cli.command.Completion;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.command.Word;
import dev.cortex.cli.completion.TypedLine;
import dev.cortex.cli.json.Json;
import java.util.ArrayList;
import java.util.List;

/** {@code cortex completion}: the scripts, and for them the words. */
final class CompletionCommand implements Command {
    private final Context context;

    CompletionCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() throws UsageException {
        String shell = context.invocation().operand(0);
        List<Word> behind = context.invocation().operands();
        if (shell.equals("words")) {
            new CompletionWords(context, new TypedLine(texts(behind.subList(1, behind.size())))).print();
            return 0;
        }
        if (behind.size() > 1) {
            throw new UsageException(
                    "cortex completion takes no word '" + behind.get(1).text() + "'", "see: cortex completion --help");
        }
        switch (shell) {
            case "bash" -> script(Completion.bash());
            case "zsh" -> script(Completion.zsh());
            case "fish" -> script(Completion.fish());
            default ->
                throw new UsageException("there is no completion for '" + shell + "'", "choose: bash, zsh, fish");
        }
        return 0;
    }

    private static List<String> texts(List<Word> words) {
        List<String> texts = new ArrayList<>();
        for (Word word : words) {
            texts.add(word.text());
        }
        return texts;
    }

    private void script(String text) {
        if (context.output().json()) {
            context.output().data("completion", Json.object().put("text", text).build());
        } else {
            context.output().text(text);
        }
    }
}
