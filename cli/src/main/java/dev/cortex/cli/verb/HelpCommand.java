package dev.cortex.cli.verb;

import dev.cortex.cli.command.Help;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.json.Json;

/** {@code cortex help} and {@code --help}. */
final class HelpCommand implements Command {
    private final Context context;

    HelpCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() throws UsageException {
        String text = context.invocation().operands().isEmpty()
                ? Help.overview()
                : Help.on(context.invocation().operand(0));
        if (context.output().json()) {
            context.output().data("help", Json.object().put("text", text).build());
        } else {
            context.output().text(text);
        }
        return 0;
    }
}
