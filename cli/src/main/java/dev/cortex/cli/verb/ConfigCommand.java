package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.settings.HomeSettings;
import dev.cortex.cli.settings.Settings;
import dev.cortex.cli.settings.SettingsFile;
import dev.cortex.cli.settings.Trust;
import dev.cortex.cli.terminal.Output;
import dev.cortex.cli.terminal.Printable;
import dev.cortex.cli.terminal.Table;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.error.Nearest;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** {@code cortex config}. */
final class ConfigCommand implements Command {
    private final Context context;
    private final Invocation invocation;
    private final Output output;

    ConfigCommand(Context context) {
        this.context = context;
        this.invocation = context.invocation();
        this.output = context.output();
    }

    @Override
    public int run() throws UsageException {
        if (invocation.operands().isEmpty()) {
            show();
            return 0;
        }
        switch (invocation.operand(0)) {
            case "get" -> get(operand(1, "which setting?"));
            case "set" -> change(operand(1, "which setting?"), Optional.of(operand(2, "set it to what?")));
            case "unset" -> change(operand(1, "which setting?"), Optional.empty());
            case "trust" -> trust();
            default ->
                throw new UsageException(
                        "cortex config takes no word '" + invocation.operand(0) + "'", "see: cortex config --help");
        }
        return 0;
    }

    private String operand(int index, String question) throws UsageException {
        if (invocation.operands().size() <= index) {
            throw new UsageException(question, "see: cortex config --help");
        }
        return invocation.operand(index);
    }

    private void show() {
        Map<String, Settings.Resolved> values = context.settings().values();
        if (output.json()) {
            Json.Building data = Json.object();
            values.forEach((key, resolved) -> data.put(key, described(resolved)));
            output.data("config", data.build());
            return;
        }
        Table table = new Table("SETTING", "VALUE", "FROM");
        values.forEach(
                (key, resolved) -> table.row(key, Printable.of(resolved.value()), Printable.of(resolved.source())));
        boolean head = true;
        for (String line : table.lines(0)) {
            output.line(head ? output.bold(line) : line);
            head = false;
        }
    }

    private static Json described(Settings.Resolved resolved) {
        return Json.object()
                .put("value", resolved.value())
                .put("source", resolved.source())
                .build();
    }

    private void get(String key) throws UsageException {
        Settings.Resolved resolved = context.settings().values().get(key);
        if (resolved == null) {
            Optional<String> nearest =
                    Nearest.of(key, context.settings().values().keySet());
            throw new UsageException(
                    "there is no setting '" + key + "'",
                    nearest.isPresent() ? "did you mean: " + nearest.get() : "every setting: cortex config");
        }
        if (output.json()) {
            output.data("config", Json.object().put(key, described(resolved)).build());
        } else {
            output.line(resolved.value());
        }
    }

    private void change(String key, Optional<String> value) {
        new HomeSettings(context.home()).change(key, value);
        if (output.json()) {
            output.data(
                    "config", Json.object().put("key", key).put("value", value).build());
        }
    }

    private void trust() {
        Path folder = invocation.operands().size() > 1
                ? HostText.path(invocation.operands().get(1)).toAbsolutePath()
                : Path.of("").toAbsolutePath();
        Settings.Surroundings there = new Settings.Surroundings(HostText::variable, folder, context.home());
        SettingsFile file = there.projectFile()
                .orElseThrow(() -> CortexException.of(
                        ErrorCode.NOT_FOUND,
                        "there is no .cortex/config.yaml in " + HostText.text(folder) + " or its repository",
                        "name another folder: cortex config trust DIR"));
        if (!file.problems().isEmpty()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    HostText.text(file.path()) + ": " + String.join("\n", file.problems()),
                    "correct the file first");
        }
        new Trust(context.home().folder()).add(file);
        if (output.json()) {
            output.data(
                    "trusted",
                    Json.object().put("file", HostText.text(file.path())).build());
            return;
        }
        output.line("trusted until it changes: " + HostText.text(file.path()));
        file.values().forEach((key, value) -> output.line("  " + Printable.of(key + ": " + value)));
    }
}
