package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.testkit.noop.NoopOperation;
import java.util.Locale;

/** The worked example of the checklist "add an operation": inputs are checked here, errors have a remedy. */
final class NoopHandlers {
    private static final int TEXT_CHARACTERS = 1_000;

    void register(Handlers handlers) {
        handlers.put(NoopOperation.NOOP, (Handler.Json<NoopOperation.Request, NoopOperation.Answer>) this::noop);
    }

    private NoopOperation.Answer noop(Call<NoopOperation.Request> call) {
        boolean upper = new Parameters(call).flag("upper");
        String text = call.request().text().orElse("");
        if (text.length() > TEXT_CHARACTERS) {
            throw Parameters.wrong("text", "at most 1,000 characters");
        }
        return new NoopOperation.Answer(call.sandbox(), upper ? text.toUpperCase(Locale.ROOT) : text);
    }
}
