package dev.cortex.cli.verb;

import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.IsoTime;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.RawTerminal;
import dev.cortex.cli.terminal.Table;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.List;

/** {@code cortex ls}. */
final class ListCommand implements Command {
    private final Context context;
    private final Output output;

    ListCommand(Context context) {
        this.context = context;
        this.output = context.output();
    }

    @Override
    public int run() {
        boolean all = context.invocation().has("all");
        List<Json> sandboxes = new ArrayList<>();
        List<Json> disks = new ArrayList<>();
        String after = "";
        do {
            Request request = Request.of(Operations.LIST);
            if (all) {
                request.query("all", "true");
            }
            if (!after.isEmpty()) {
                request.query("after", after);
            }
            Json page = context.daemon().call(request);
            sandboxes.addAll(page.get("sandboxes").items());
            disks.addAll(page.get("disks").items());
            after = page.get("next").text();
        } while (!after.isEmpty());
        if (output.json()) {
            Json.Building data = Json.object().put("sandboxes", Json.of(sandboxes));
            output.data("sandboxes", data.put("disks", Json.of(disks)).build());
        } else {
            print(sandboxes, disks, all);
        }
        return 0;
    }

    private void print(List<Json> sandboxes, List<Json> disks, boolean all) {
        Table table = new Table("NAME", "STATE", "DRIVER", "AGE", "SESSIONS", "MEMORY", "DISK", "WHY");
        for (Json sandbox : sandboxes) {
            table.row(
                    sandbox.get("name").text(),
                    sandbox.get("state").text(),
                    SandboxText.driver(sandbox),
                    Units.age(System.currentTimeMillis()
                            - IsoTime.millis(sandbox.get("created_at").text())),
                    sandbox.get("usage").isPresent()
                            ? sandbox.get("usage").get("sessions_running").text()
                            : "–",
                    memory(sandbox),
                    of(
                            sandbox.get("disk").get("bytes"),
                            sandbox.get("limits").get("disk_bytes").whole()),
                    Printable.of(sandbox.get("reason").text()));
        }
        if (all) {
            for (Json disk : disks) {
                table.row(
                        disk.get("name").text(),
                        "removed",
                        disk.get("driver").text(),
                        "–",
                        "–",
                        "–",
                        Units.size(disk.get("bytes").whole()),
                        "its disk is kept");
            }
        }
        int width = Descriptors.isTerminal(1) ? RawTerminal.size().columns() : 0;
        List<String> lines = table.lines(width);
        output.line(output.bold(lines.getFirst()));
        StringBuilder text = new StringBuilder();
        for (int i = 1; i < lines.size(); i++) {
            text.append(colored(lines.get(i))).append('\n');
        }
        output.text(text.toString());
    }

    /** The state is the second column, whose word is easy to find: names hold no spaces. */
    private String colored(String line) {
        int begin = line.indexOf(' ');
        while (begin >= 0 && begin < line.length() && line.charAt(begin) == ' ') {
            begin++;
        }
        int end = begin < 0 ? -1 : line.indexOf(' ', begin);
        if (end < 0) {
            return line;
        }
        String state = line.substring(begin, end);
        String shown = switch (state) {
            case "running" -> output.green(state);
            case "paused" -> output.yellow(state);
            case "error" -> output.red(state);
            default -> output.dim(state);
        };
        return line.substring(0, begin) + shown + line.substring(end);
    }

    private static String memory(Json sandbox) {
        boolean known = sandbox.get("state").text().equals("running")
                && sandbox.get("usage").isPresent();
        return of(
                known ? sandbox.get("usage").get("memory_bytes") : Json.ABSENT,
                sandbox.get("limits").get("memory_bytes").whole());
    }

    private static String of(Json used, long limit) {
        if (!used.isPresent()) {
            return "–";
        }
        return Units.size(used.whole()) + (limit > 0 ? " / " + Units.size(limit) : "");
    }
}
