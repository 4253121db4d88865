package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.json.JsonText;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code cortex egress}: what a sandbox may reach, and what was decided about it. */
final class EgressCommand implements Command {
    private final Context context;
    private final Invocation invocation;
    private final Output output;

    EgressCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() throws UsageException {
        String sandbox = invocation.operand(1);
        switch (invocation.operand(0)) {
            case "log" -> {
                requireNo("log", "allow-host", "drop-host", "only");
                return log(sandbox);
            }
            case "set" -> {
                requireNo("set", "follow", "tail");
                set(sandbox);
            }
            case "show" -> {
                requireNo("show", "allow-host", "drop-host", "only", "follow", "tail");
                show(sandbox, context.daemon().call(Request.of(Operations.EGRESS_GET, sandbox)));
            }
            default ->
                throw new UsageException(
                        "cortex egress takes no word '" + invocation.operand(0) + "'", "choose: log, set, show");
        }
        return 0;
    }

    private void requireNo(String word, String... flags) throws UsageException {
        for (String flag : flags) {
            if (invocation.has(flag)) {
                throw new UsageException("cortex egress " + word + " takes no --" + flag, "see: cortex egress --help");
            }
        }
    }

    private void set(String sandbox) throws UsageException {
        List<Json> allowed = AllowedHosts.texts(invocation.values("allow-host"));
        List<Json> dropped = AllowedHosts.texts(invocation.values("drop-host"));
        boolean only = invocation.has("only");
        if (allowed.isEmpty() && dropped.isEmpty() && !only) {
            throw new UsageException("nothing is to be changed", "give --allow-host HOST, --drop-host HOST, or --only");
        }
        Json change = Json.object()
                .put("allow_hosts", Json.of(allowed))
                .put("drop_hosts", Json.of(dropped))
                .put("only", only)
                .build();
        show(
                sandbox,
                context.daemon().call(Request.of(Operations.EGRESS_SET, sandbox).json(JsonText.write(change))));
    }

    private void show(String sandbox, Json egress) {
        if (output.json()) {
            output.data("egress", egress);
            return;
        }
        List<String> rules = new ArrayList<>();
        for (Json rule : egress.get("allow_hosts").items()) {
            rules.add(Printable.of(rule.text()));
        }
        output.line(sandbox + " may reach " + (rules.isEmpty() ? "nothing" : String.join(", ", rules)));
    }

    private int log(String sandbox) throws UsageException {
        Optional<String> tail = invocation.text("tail");
        long most = tail.isPresent() ? Units.whole("--tail", tail.get(), 1) : 0;
        EgressLog log = new EgressLog(context, sandbox, most);
        if (invocation.has("follow")) {
            return log.follow();
        }
        log.print();
        return 0;
    }
}
