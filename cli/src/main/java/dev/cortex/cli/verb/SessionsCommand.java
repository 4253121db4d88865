package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.terminal.IsoTime;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.RawTerminal;
import dev.cortex.cli.terminal.Table;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.List;

/** {@code cortex sessions}. */
final class SessionsCommand implements Command {
    private final Context context;
    private final Invocation invocation;
    private final Output output;

    SessionsCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() throws UsageException {
        String sandbox = invocation.operand(0);
        boolean acts = invocation.has("signal") || invocation.has("rm");
        if (invocation.operands().size() == 1) {
            if (acts) {
                throw new UsageException("which session?", "see: cortex sessions " + sandbox);
            }
            list(sandbox);
            return 0;
        }
        String session = invocation.operand(1);
        if (invocation.has("signal")) {
            signal(sandbox, session, invocation.text("signal").orElse(""));
        }
        if (invocation.has("rm")) {
            Json answer = context.daemon().call(Request.of(Operations.SESSION_REMOVE, sandbox, session));
            say("removed", answer, session + "  removed");
        }
        if (!acts) {
            Json found = context.daemon().call(Request.of(Operations.SESSION_STATUS, sandbox, session));
            if (output.json()) {
                output.data("session", found);
            } else {
                print(List.of(found));
            }
        }
        return 0;
    }

    private void signal(String sandbox, String session, String signal) {
        String name = signal.startsWith("SIG") ? signal.substring(3) : signal;
        byte[] body = JsonText.write(Json.object()
                .put("signal", name)
                .put("all", invocation.has("all"))
                .build());
        Json answer = context.daemon()
                .call(Request.of(Operations.SESSION_SIGNAL, sandbox, session).json(body));
        long processes = answer.get("processes").whole();
        say(
                "signaled",
                answer,
                session + "  SIG" + name + " to " + processes + (processes == 1 ? " process" : " processes"));
    }

    private void say(String kind, Json answer, String words) {
        if (output.json()) {
            output.data(kind, answer);
        } else {
            output.line(words);
        }
    }

    private void list(String sandbox) {
        Json answer = context.daemon().call(Request.of(Operations.SESSION_LIST, sandbox));
        if (output.json()) {
            output.data("sessions", answer);
        } else {
            print(answer.get("sessions").items());
        }
    }

    private void print(List<Json> sessions) {
        Table table = new Table("SESSION", "STATE", "AGE", "OUTPUT", "USER", "LABEL", "COMMAND");
        for (Json session : sessions) {
            table.row(
                    session.get("id").text(),
                    state(session),
                    Units.age(System.currentTimeMillis()
                            - IsoTime.millis(session.get("started_at").text())),
                    Units.size(session.get("newest").whole()),
                    Printable.of(session.get("user").text()),
                    Printable.of(session.get("label").text()),
                    Printable.command(session.get("argv").texts()));
        }
        int width = Descriptors.isTerminal(1) ? RawTerminal.size().columns() : 0;
        List<String> lines = table.lines(width);
        output.line(output.bold(lines.getFirst()));
        for (int i = 1; i < lines.size(); i++) {
            output.line(lines.get(i));
        }
    }

    private static String state(Json session) {
        String state = session.get("state").text();
        if (session.get("status").isPresent()) {
            String cause = session.get("cause").text();
            return state + " " + session.get("status").text() + (cause.equals("exited") ? "" : " (" + cause + ")");
        }
        return session.get("held").isTrue() ? state + " (held)" : state;
    }
}
