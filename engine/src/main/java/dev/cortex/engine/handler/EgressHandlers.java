package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.api.Egress;
import dev.cortex.protocol.api.EgressChange;
import dev.cortex.protocol.api.EgressDecision;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.perimeter.Decision;
import dev.cortex.sandbox.service.SandboxService;

/** What sandboxes may reach, and what was decided about it. */
final class EgressHandlers {
    private static final int DECISIONS = 200;
    private static final int DECISIONS_MOST = 10_000;

    private final SandboxService sandboxes;

    EgressHandlers(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.EGRESS_GET, (Handler.Json<Void, Egress>)
                call -> shown(sandboxes.egress().of(call.sandbox())));
        handlers.put(Operations.EGRESS_SET, (Handler.Json<EgressChange, Egress>)
                call -> shown(sandboxes.egress().change(call.sandbox(), call.request())));
        handlers.put(Operations.EGRESS_LOG, (Handler.Json<Void, EgressDecision.Page>) this::log);
        handlers.put(Operations.EGRESS_FOLLOW, (Handler.Events<EgressDecision>)
                (call, to) -> sandboxes.egress().follow(call.sandbox(), decision -> to.offer(shown(decision))));
    }

    private EgressDecision.Page log(Call<Void> call) {
        int most = (int) new Parameters(call).number("most", DECISIONS, 1, DECISIONS_MOST);
        return new EgressDecision.Page(sandboxes.egress().decisions(call.sandbox(), most).stream()
                .map(EgressHandlers::shown)
                .toList());
    }

    private static Egress shown(dev.cortex.sandbox.terms.Egress terms) {
        return new Egress(terms.allowHosts());
    }

    private static EgressDecision shown(Decision d) {
        return new EgressDecision(
                d.at().toString(),
                d.verdict().word(),
                d.host(),
                d.port(),
                d.via(),
                d.method(),
                d.rule(),
                d.reason(),
                d.remedy(),
                d.program(),
                d.session(),
                d.count());
    }
}
