package dev.cortex.cli.verb;

import dev.cortex.cli.command.Completion;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.http.Connection;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.protocol.operation.Operations;
import java.util.Optional;

/** {@code cortex completion}. */
final class CompletionCommand implements Command {
    private final Context context;

    CompletionCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() throws UsageException {
        String shell = context.invocation().operand(0);
        switch (shell) {
            case "bash" -> script(Completion.bash());
            case "zsh" -> script(Completion.zsh());
            case "fish" -> script(Completion.fish());
            case "names" -> names();
            case "images" -> images();
            case "sessions" -> sessions();
            default ->
                throw new UsageException("there is no completion for '" + shell + "'", "choose: bash, zsh, fish");
        }
        return 0;
    }

    private void script(String text) {
        if (context.output().json()) {
            context.output().data("completion", Json.object().put("text", text).build());
        } else {
            context.output().text(text);
        }
    }

    /** The sandbox is the word behind. */
    private void sessions() {
        Optional<Connection> running = context.daemon().connectRunning();
        if (running.isPresent() && context.invocation().operands().size() > 1) {
            Request request =
                    Request.of(Operations.SESSION_LIST, context.invocation().operand(1));
            Json list = context.daemon().call(request, running.get(), Daemon.SILENT);
            for (Json session : list.get("sessions").items()) {
                context.output().line(session.get("id").text());
            }
        }
    }

    private void images() {
        Optional<Connection> running = context.daemon().connectRunning();
        if (running.isPresent()) {
            Json list = context.daemon().call(Request.of(Operations.IMAGE_LIST), running.get(), Daemon.SILENT);
            for (Json image : list.get("images").items()) {
                for (String name : image.get("names").texts()) {
                    context.output().line(name);
                }
            }
        }
    }

    /** What the scripts ask for while somebody types; a daemon is not started for that. */
    private void names() {
        Optional<Connection> running = context.daemon().connectRunning();
        if (running.isPresent()) {
            Json list = context.daemon().call(Request.of(Operations.LIST), running.get(), Daemon.SILENT);
            for (Json sandbox : list.get("sandboxes").items()) {
                context.output().line(sandbox.get("name").text());
            }
        }
    }
}
