package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.Target;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.operation.Operations;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tells whose command failed which connections of it were denied: many programs keep the reason to themselves. */
final class Denials {
    private static final int LATEST = 50;
    private static final int TOLD = 3;

    private Denials() {}

    /** Says nothing where nothing was denied, or where it cannot be asked any more. */
    static void tell(Context context, Target target) {
        Json page;
        try {
            page = context.daemon()
                    .call(Request.of(Operations.EGRESS_LOG, target.sandbox()).query("most", Integer.toString(LATEST)));
        } catch (CortexException e) {
            return;
        }
        Map<String, String> remedies = new LinkedHashMap<>();
        for (Json decision : page.get("decisions").items()) {
            if (decision.get("verdict").text().equals("deny")
                    && decision.get("session").text().equals(target.session())) {
                String where =
                        decision.get("host").text() + ":" + decision.get("port").text();
                remedies.put(
                        Printable.of(where), Printable.of(decision.get("remedy").text()));
            }
        }
        remedies.entrySet().stream().limit(TOLD).forEach(denied -> {
            context.output().say("cortex: denied: " + denied.getKey());
            if (!denied.getValue().isEmpty()) {
                context.output().say("  allow it: " + denied.getValue());
            }
        });
        if (remedies.size() > TOLD) {
            context.output().say("  and " + (remedies.size() - TOLD) + " more: cortex egress log " + target.sandbox());
        }
    }
}
