package dev.cortex.engine.handler;

import dev.cortex.engine.operation.Call;
import dev.cortex.engine.operation.Handler;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.protocol.wire.FrameChannel;
import dev.cortex.sandbox.service.SandboxService;
import dev.cortex.sandbox.session.Relay;
import java.io.IOException;
import java.util.Map;

/** Connections into a sandbox. What refuses one is told before the upgrade. */
final class ForwardHandlers {
    private static final int PORTS = 65_535;

    private final SandboxService sandboxes;

    ForwardHandlers(SandboxService sandboxes) {
        this.sandboxes = sandboxes;
    }

    void register(Handlers handlers) {
        handlers.put(Operations.FORWARD, (Handler.Frames<Void>) this::forward);
    }

    private Handler.Relay forward(Call<Void> call) {
        Relay relay = sandboxes.forward(call.sandbox(), port(call));
        return new Handler.Relay() {
            @Override
            public Map<String, String> headers() {
                return Map.of();
            }

            @Override
            public void run(FrameChannel client) throws IOException {
                relay.run(client);
            }
        };
    }

    private static int port(Call<Void> call) {
        Parameters parameters = new Parameters(call);
        if (parameters.text("port").isEmpty()) {
            throw Parameters.wrong("port", "given: 1 to " + PORTS);
        }
        return (int) parameters.number("port", 0, 1, PORTS);
    }
}
