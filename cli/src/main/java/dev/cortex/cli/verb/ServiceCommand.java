package dev.cortex.cli.verb;

import dev.cortex.cli.command.UsageException;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.http.Connection;
import dev.cortex.cli.json.Json;
import dev.cortex.cli.service.Systemd;
import dev.cortex.cli.service.Unit;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code cortex service}: the daemon as a service of systemd, whose restart leaves sandboxes alone. */
final class ServiceCommand implements Command {
    private final Context context;
    private final Output output;
    private final boolean dryRun;
    private final Systemd systemd;

    ServiceCommand(Context context) {
        this.context = context;
        this.output = context.output();
        this.dryRun = context.invocation().has("dry-run");
        this.systemd =
                Systemd.of(Home.uid() == 0, Path.of(HostText.variable("HOME")), HostText.variable("XDG_CONFIG_HOME"));
    }

    @Override
    public int run() throws UsageException {
        String what = context.invocation().operand(0);
        return switch (what) {
            case "install" -> install();
            case "uninstall" -> uninstall();
            case "status" -> status();
            default ->
                throw new UsageException("service does not know '" + what + "'", "choose: install, uninstall, status");
        };
    }

    private int install() {
        Unit unit = unit();
        List<List<String>> steps = new ArrayList<>();
        if (daemonRuns() && !systemd.ask("is-active", Unit.NAME).equals("active")) {
            // A home has one owner. Its sandboxes go on without it.
            steps.add(List.of(context.install().script().toString(), "serve", "--stop"));
        }
        steps.add(systemd.systemctl("daemon-reload"));
        steps.add(systemd.systemctl("enable", "--now", Unit.NAME));
        if (!dryRun) {
            systemd.require();
            step("write " + systemd.unit());
            write(unit.text());
            systemd.verify(systemd.unit());
        }
        perform(steps);
        if (!systemd.system()) {
            output.say("cortex: to have it run without a login of yours: loginctl enable-linger");
        }
        return tell("install", steps, Optional.of(unit.text()));
    }

    private Unit unit() {
        Home home = context.home();
        boolean usual = home.folder().equals(Home.usual().folder());
        Path script = context.install().script().toAbsolutePath().normalize();
        return new Unit(script, usual ? Optional.empty() : Optional.of(home.folder()), systemd.system());
    }

    private int uninstall() {
        List<List<String>> steps = new ArrayList<>();
        steps.add(systemd.systemctl("disable", "--now", Unit.NAME));
        if (!dryRun) {
            if (!Files.exists(systemd.unit())) {
                throw CortexException.of(
                        ErrorCode.NOT_FOUND, "there is no " + systemd.unit(), "install it: cortex service install");
            }
            if (!systemd.runs()) {
                steps.clear();
            }
        }
        perform(steps);
        if (!dryRun) {
            step("remove " + systemd.unit());
            remove();
            if (systemd.runs()) {
                perform(List.of(systemd.systemctl("daemon-reload")));
            }
        }
        return tell("uninstall", steps, Optional.empty());
    }

    private int status() {
        boolean installed = Files.exists(systemd.unit());
        boolean runs = systemd.runs();
        String active = runs ? systemd.ask("is-active", Unit.NAME) : "";
        String enabled = runs ? systemd.ask("is-enabled", Unit.NAME) : "";
        if (output.json()) {
            output.data(
                    "service",
                    Json.object()
                            .put("unit", systemd.unit().toString())
                            .put("installed", installed)
                            .put("systemd", runs)
                            .put("active", active)
                            .put("enabled", enabled)
                            .put("daemon", daemonRuns())
                            .build());
            return active.equals("active") ? 0 : 1;
        }
        output.line("unit      " + systemd.unit() + (installed ? "" : ", not installed"));
        output.line("systemd   " + (runs ? active + ", " + enabled : "does not run on this machine"));
        output.line("daemon    " + (daemonRuns() ? "serves" : "none runs"));
        return active.equals("active") ? 0 : 1;
    }

    private boolean daemonRuns() {
        Optional<Connection> connection = context.daemon().connectRunning();
        connection.ifPresent(open -> {
            try {
                open.close();
            } catch (IOException e) {
                // It answered, which is all that was asked.
            }
        });
        return connection.isPresent();
    }

    private void perform(List<List<String>> steps) {
        for (List<String> command : steps) {
            step(String.join(" ", command));
            if (!dryRun) {
                Systemd.run(command);
            }
        }
    }

    private void step(String words) {
        output.say("cortex: " + (dryRun ? "would run: " : "") + words);
    }

    private int tell(String what, List<List<String>> steps, Optional<String> text) {
        if (!output.json()) {
            if (dryRun && text.isPresent()) {
                output.text(text.get());
            }
            return 0;
        }
        List<Json> commands = new ArrayList<>();
        steps.forEach(command -> commands.add(Json.of(String.join(" ", command))));
        output.data(
                "service",
                Json.object()
                        .put("done", dryRun ? "nothing" : what)
                        .put("unit", systemd.unit().toString())
                        .put("commands", Json.of(commands))
                        .put("text", text)
                        .build());
        return 0;
    }

    private void write(String text) {
        try {
            Files.createDirectories(systemd.units());
            Files.write(systemd.unit(), text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DENIED, "cannot write " + systemd.unit(), "look at the owner of that folder")
                    .because(e);
        }
    }

    private void remove() {
        try {
            Files.delete(systemd.unit());
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.DENIED, "cannot remove " + systemd.unit(), "look at the owner of that folder")
                    .because(e);
        }
    }
}
