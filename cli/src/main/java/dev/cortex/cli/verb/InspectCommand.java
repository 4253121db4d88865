package dev.cortex.cli.verb;

import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.IsoTime;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.Map;

/** {@code cortex inspect}. */
final class InspectCommand implements Command {
    private final Context context;
    private final Output output;

    InspectCommand(Context context) {
        this.context = context;
        this.output = context.output();
    }

    @Override
    public int run() {
        Json sandbox = context.daemon()
                .call(Request.of(Operations.INSPECT, context.invocation().operand(0)));
        if (output.json()) {
            output.data("sandbox", sandbox);
            return 0;
        }
        line("name", sandbox.get("name").text());
        line("id", sandbox.get("id").text());
        String reason = Printable.of(sandbox.get("reason").text());
        line("state", sandbox.get("state").text() + (reason.isEmpty() ? "" : ", " + reason));
        line("driver", SandboxText.driver(sandbox));
        line("image", SandboxText.image(sandbox));
        line("user", sandbox.get("user").text());
        line("workdir", sandbox.get("workdir").text());
        rights(sandbox.get("rights"));
        limits(sandbox.get("limits"));
        line("lifetime", LifetimeOption.words(sandbox.get("lifetime")));
        usage(sandbox.get("usage"));
        Json disk = sandbox.get("disk");
        if (disk.isPresent()) {
            line(
                    "disk",
                    Units.size(disk.get("bytes").whole()) + " at "
                            + Printable.of(disk.get("path").text()));
        }
        for (Json mount : sandbox.get("mounts").items()) {
            line("mount", MountOption.shown(mount));
        }
        line("workspace", Printable.of(sandbox.get("workspace").get("folder").text()));
        for (Map.Entry<String, Json> label : sandbox.get("labels").members().entrySet()) {
            line("label", Printable.of(label.getKey() + "=" + label.getValue().text()));
        }
        time("created", sandbox.get("created_at"));
        time("started", sandbox.get("started_at"));
        time("stopped", sandbox.get("stopped_at"));
        return 0;
    }

    private void rights(Json rights) {
        if (rights.isPresent()) {
            String root = rights.get("root").text().equals("true") ? "root by sudo" : "no root";
            line(
                    "rights",
                    root + ", seccomp " + Printable.of(rights.get("seccomp").text()));
        }
    }

    private void limits(Json limits) {
        if (!limits.isPresent()) {
            return;
        }
        line(
                "limits",
                size(limits.get("memory_bytes")) + " memory, "
                        + (limits.get("cpus").decimal() > 0
                                ? Units.count(limits.get("cpus").decimal())
                                : "all") + " cpus, "
                        + (limits.get("processes").whole() > 0
                                ? limits.get("processes").text()
                                : "any number of")
                        + " processes, " + size(limits.get("disk_bytes")) + " disk");
    }

    private static String size(Json bytes) {
        return bytes.whole() > 0 ? Units.size(bytes.whole()) : "any";
    }

    private void usage(Json usage) {
        if (!usage.isPresent()) {
            return;
        }
        line(
                "usage",
                Units.size(usage.get("memory_bytes").whole()) + " memory, "
                        + usage.get("processes").text() + " processes, "
                        + usage.get("sessions_running").text() + " of "
                        + usage.get("sessions_started").text()
                        + " sessions running");
        line("neuron", Printable.of(usage.get("neuron").text()));
    }

    private void time(String name, Json at) {
        if (at.isPresent()) {
            line(name, Units.age(System.currentTimeMillis() - IsoTime.millis(at.text())) + " ago");
        }
    }

    private void line(String name, String value) {
        if (!value.isEmpty()) {
            output.line(output.dim(name + " ".repeat(Math.max(1, 10 - name.length()))) + value);
        }
    }
}
