package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.PatchText;
import dev.cortex.cli.terminal.Patience;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code cortex diff}. */
final class DiffCommand implements Command {
    private final Context context;
    private final Invocation invocation;
    private final Output output;

    DiffCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() {
        if (output.json() || invocation.has("stat")) {
            Json changes;
            try (Patience patience = Patience.during(output, "comparing the workspace")) {
                changes = context.daemon().call(request(Operations.WORKSPACE_CHANGES));
            }
            if (output.json()) {
                output.data("diff", changes);
            } else {
                new ChangeTable(output).print(changes.get("files").items());
            }
            return 0;
        }
        patch();
        return 0;
    }

    private Request request(Operation<?, ?> operation) {
        Request request = Request.of(operation, invocation.operand(0));
        List<String> paths = paths(invocation);
        return paths.isEmpty() ? request : request.query("paths", String.join("\n", paths));
    }

    /** The operands behind the sandbox's name. */
    static List<String> paths(Invocation invocation) {
        List<String> paths = new ArrayList<>();
        for (int i = 1; i < invocation.operands().size(); i++) {
            String path = invocation.operand(i);
            while (path.startsWith("./")) {
                path = path.substring(2);
            }
            while (path.length() > 1 && path.endsWith("/")) {
                path = path.substring(0, path.length() - 1);
            }
            paths.add(path);
        }
        return paths;
    }

    /** On a terminal in colours and cleaned; elsewhere byte for byte, for git apply. */
    private void patch() {
        Daemon.Download download;
        try (Patience patience = Patience.during(output, "comparing the workspace")) {
            download = context.daemon().download(request(Operations.WORKSPACE_DIFF));
        }
        boolean cleaned = Descriptors.isTerminal(1) || output.colors();
        PatchText text = new PatchText(output);
        try {
            for (Optional<ByteBuffer> next = download.next(); next.isPresent(); next = download.next()) {
                byte[] bytes = new byte[next.get().remaining()];
                next.get().get(bytes);
                if (cleaned) {
                    text.add(bytes);
                } else {
                    output.raw(bytes);
                }
            }
            text.end();
        } finally {
            download.close();
        }
    }
}
