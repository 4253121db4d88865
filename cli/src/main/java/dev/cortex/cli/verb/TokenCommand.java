package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code cortex token}. The daemon makes it at its first start, so one is started where there is none yet. */
final class TokenCommand implements Command {
    private final Context context;

    TokenCommand(Context context) {
        this.context = context;
    }

    @Override
    public int run() {
        Path file = context.home().token();
        if (!Files.exists(file)) {
            context.daemon().call(Request.of(Operations.HEALTH));
        }
        String token;
        try {
            token = Files.readString(file).strip();
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.NOT_READY, "there is no token at " + file, "run: cortex serve")
                    .because(e);
        }
        if (context.output().json()) {
            context.output().data("token", Json.object().put("token", token).build());
        } else {
            context.output().line(token);
        }
        return 0;
    }
}
