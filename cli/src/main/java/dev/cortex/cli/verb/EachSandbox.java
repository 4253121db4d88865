package dev.cortex.cli.verb;

import dev.cortex.cli.command.Word;
import dev.cortex.cli.json.Json;
import dev.cortex.protocol.error.CortexException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Does the same with every sandbox that is named: one failure does not keep the others from their turn. */
final class EachSandbox {
    private final Context context;

    EachSandbox(Context context) {
        this.context = context;
    }

    /**
     * @param kind of the answer in JSON, which is a list where several are named
     * @param one does it to a sandbox
     * @param shown what a person reads about the answer
     * @throws CortexException the last failure; those before it have been said
     */
    int run(String kind, Function<String, Json> one, Function<Json, String> shown) {
        List<Json> answers = new ArrayList<>();
        Optional<CortexException> failure = Optional.empty();
        for (Word name : context.invocation().operands()) {
            try {
                Json answer = one.apply(name.text());
                answers.add(answer);
                if (!context.output().json()) {
                    context.output().line(shown.apply(answer));
                }
            } catch (CortexException e) {
                failure.ifPresent(earlier -> new Failure(context.output()).say(earlier));
                failure = Optional.of(e);
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        if (context.output().json()) {
            boolean single = answers.size() == 1;
            context.output().data(single ? kind : kind + "_list", single ? answers.getFirst() : Json.of(answers));
        }
        return 0;
    }
}
