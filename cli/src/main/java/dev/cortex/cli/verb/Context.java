package dev.cortex.cli.verb;

import dev.cortex.cli.command.Invocation;
import dev.cortex.cli.host.HostText;
import dev.cortex.cli.host.Install;
import dev.cortex.cli.http.Daemon;
import dev.cortex.cli.settings.Settings;
import dev.cortex.cli.terminal.Output;
import dev.cortex.protocol.home.Home;

/** What a verb works with. */
public record Context(Invocation invocation, Output output, Home home, Install install, Daemon daemon) {
    /** Whether the person agreed beforehand to what would be asked. */
    boolean agreed() {
        return invocation.has("yes") || HostText.variable("CI").equals("true");
    }

    Settings settings() {
        return Settings.resolve(invocation, Settings.Surroundings.current(home));
    }
}
