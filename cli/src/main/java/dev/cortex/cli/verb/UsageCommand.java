package dev.cortex.cli.verb;

import dev.cortex.cli.host.Descriptors;
import dev.cortex.cli.http.Request;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.RawTerminal;
import dev.cortex.cli.terminal.Table;
import dev.cortex.cli.terminal.Units;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code cortex usage}. */
final class UsageCommand implements Command {
    private final Context context;
    private final Output output;

    UsageCommand(Context context) {
        this.context = context;
        this.output = context.output();
    }

    @Override
    public int run() {
        Json usage = context.daemon().call(Request.of(Operations.USAGE));
        if (output.json()) {
            output.data("usage", usage);
            return 0;
        }
        Json host = usage.get("host");
        line(
                "machine",
                size(host, "memory_bytes") + " memory, " + size(host, "memory_free_bytes") + " free; disk of the home "
                        + size(host, "disk_bytes") + ", " + size(host, "disk_free_bytes") + " free");
        pool(usage.get("pool"));
        promised(usage.get("promised"));
        line("images", Units.size(usage.get("images_bytes").whole()));
        spares(usage.get("spares").items());
        table(usage);
        for (Json folder : usage.get("unknown_disks").items()) {
            line("unknown", Printable.of(folder.text()) + " in the pool belongs to no record");
        }
        return 0;
    }

    private void pool(Json pool) {
        String path = Printable.of(pool.get("path").text());
        String text = switch (pool.get("kind").text()) {
            case "image" -> "btrfs in an image at " + path;
            case "btrfs" -> "btrfs at " + path;
            default -> "plain folders at " + path;
        };
        long total = pool.get("total_bytes").whole();
        if (!pool.get("kind").text().equals("folder") && total > 0) {
            text += ", " + Units.size(total - pool.get("free_bytes").whole()) + " of " + Units.size(total) + " taken";
        }
        boolean limits = pool.get("limits").text().equals("true");
        line("disks", text + (limits ? "; limits hold" : "; no limits"));
        if (!limits && pool.get("why").isPresent()) {
            note(pool.get("why"), pool.get("fix"));
        }
        if (pool.get("problem").isPresent()) {
            note(pool.get("problem"), pool.get("remedy"));
        }
    }

    /** Told of in one line for each kind: nobody can do anything with one of them. */
    private void spares(List<Json> spares) {
        Map<String, Integer> kinds = new LinkedHashMap<>();
        for (Json spare : spares) {
            String kind =
                    spare.get("driver").text() + ", image " + spare.get("image").text()
                            + (spare.get("ready").text().equals("true") ? "" : " (being made or removed)");
            kinds.merge(Printable.of(kind), 1, Integer::sum);
        }
        kinds.forEach((kind, count) -> line("spares", count + " of " + kind));
    }

    private void note(Json what, Json fix) {
        line("", Printable.of(what.text()));
        if (fix.isPresent()) {
            line("", "fix: " + Printable.of(fix.text()));
        }
    }

    private void promised(Json promised) {
        line(
                "promised",
                promise(promised, "memory_bytes", "memory_times", "memory_unlimited") + " memory, "
                        + promise(promised, "disk_bytes", "disk_times", "disks_unlimited") + " disk");
    }

    private static String promise(Json promised, String bytes, String times, String unlimited) {
        long without = promised.get(unlimited).whole();
        return size(promised, bytes) + " (" + Units.count(promised.get(times).decimal()) + " times)"
                + (without > 0 ? " and " + without + " without a limit" : "");
    }

    private void table(Json usage) {
        List<Json> sandboxes = usage.get("sandboxes").items();
        List<Json> disks = usage.get("disks").items();
        if (sandboxes.isEmpty() && disks.isEmpty()) {
            return;
        }
        Table table = new Table("NAME", "STATE", "DRIVER", "MEMORY", "PROCESSES", "DISK");
        for (Json sandbox : sandboxes) {
            table.row(
                    sandbox.get("name").text(),
                    sandbox.get("state").text(),
                    sandbox.get("driver").text(),
                    of(sandbox, "memory_bytes", "memory_limit_bytes"),
                    processes(sandbox),
                    of(sandbox, "disk_bytes", "disk_limit_bytes"));
        }
        for (Json disk : disks) {
            table.row(disk.get("name").text(), "removed", disk.get("driver").text(), "–", "–", size(disk, "bytes"));
        }
        List<String> lines = new ArrayList<>(
                table.lines(Descriptors.isTerminal(1) ? RawTerminal.size().columns() : 0));
        output.line(output.bold(lines.removeFirst()));
        lines.forEach(output::line);
    }

    private static String processes(Json sandbox) {
        long most = sandbox.get("process_limit").whole();
        return sandbox.get("processes").isPresent()
                ? sandbox.get("processes").text() + (most > 0 ? " / " + most : "")
                : "–";
    }

    private static String of(Json sandbox, String used, String limit) {
        long most = sandbox.get(limit).whole();
        return sandbox.get(used).isPresent() ? size(sandbox, used) + (most > 0 ? " / " + Units.size(most) : "") : "–";
    }

    private static String size(Json of, String field) {
        return Units.size(of.get(field).whole());
    }

    private void line(String name, String value) {
        output.line(output.dim(name + " ".repeat(Math.max(1, 10 - name.length()))) + value);
    }
}
