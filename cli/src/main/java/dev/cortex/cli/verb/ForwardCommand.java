package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.forward.Forwarding;
import dev.cortex.cli.forward.Forwarding.Listening;
import dev.cortex.cli.forward.PortPair;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.session.ExitStatus;
import dev.cortex.cli.session.Signals;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.operation.Operations;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** {@code cortex forward}: runs until Ctrl-C, or until the sandbox is removed. */
final class ForwardCommand implements Command {
    private final Context context;
    private final Invocation invocation;
    private final Output output;

    ForwardCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() throws UsageException {
        List<PortPair> pairs = new ArrayList<>();
        for (int i = 1; i < invocation.operands().size(); i++) {
            pairs.add(PortPair.parse(invocation.operand(i)));
        }
        InetAddress address = address();
        Json sandbox = context.daemon().call(Request.of(Operations.INSPECT, invocation.operand(0)));
        String name = sandbox.get("name").text();
        Forwarding forwarding = new Forwarding(context.daemon(), output, name);
        tell(name, forwarding.listen(address, pairs));
        if (!address.isLoopbackAddress()) {
            output.say("cortex: whoever reaches " + address.getHostAddress() + " reaches " + name);
        }
        String state = sandbox.get("state").text();
        if (!state.equals("running")) {
            output.say("cortex: " + name + " is " + state + "; connections are refused until it runs");
        }
        Signals.handle("INT", () -> System.exit(ExitStatus.INTERRUPTED));
        Signals.handle("TERM", () -> System.exit(ExitStatus.TERMINATED));
        throw forwarding.run();
    }

    private InetAddress address() throws UsageException {
        String given = invocation.text("address").orElse("127.0.0.1");
        try {
            // Only what looks like an address: a name would ask a server on the network.
            if (given.matches("[0-9.]+") || given.indexOf(':') >= 0) {
                return InetAddress.getByName(given);
            }
            if (given.equals("localhost")) {
                return InetAddress.getByName("127.0.0.1");
            }
        } catch (UnknownHostException e) {
            // Said below.
        }
        throw new UsageException(
                "--address '" + given + "' is no address", "write one of this machine, such as 127.0.0.1 or 0.0.0.0");
    }

    private void tell(String name, List<Listening> ports) {
        if (!output.json()) {
            for (Listening port : ports) {
                output.line(port.place() + " -> " + name + ":" + port.inside());
            }
            return;
        }
        List<Json> shown = new ArrayList<>();
        for (Listening port : ports) {
            shown.add(Json.object()
                    .put("port", port.inside())
                    .put("address", port.here().getAddress().getHostAddress())
                    .put("host_port", port.here().getPort())
                    .build());
        }
        output.data(
                "forward",
                Json.object().put("sandbox", name).put("ports", Json.of(shown)).build());
    }
}
