package dev.cortex.cli.service;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The unit of the daemon: a pure function of where things are. Its restart leaves sandboxes alone: they are no children
 * of the daemon, and only the daemon itself is killed.
 *
 * @param script the command {@code cortex}
 * @param home a home folder other than the default
 * @param system a unit of the system, for root; else one of the user
 */
public record Unit(Path script, Optional<Path> home, boolean system) {
    public static final String NAME = "cortex.service";

    public String text() {
        StringBuilder text = new StringBuilder();
        text.append("# Written by: cortex service install\n[Unit]\nDescription=Cortex, sandboxes for agents' code\n");
        text.append("Documentation=file:")
                .append(specifiers(script.resolveSibling("README.md").toString()));
        text.append("\nAfter=local-fs.target\nStartLimitIntervalSec=60\nStartLimitBurst=5\n\n");
        text.append("[Service]\nType=simple\n");
        text.append("ExecStart=").append(quoted(script.toString())).append(" serve\n");
        home.ifPresent(folder -> text.append("Environment=")
                .append(quoted("CORTEX_HOME=" + folder))
                .append('\n'));
        text.append("Restart=on-failure\nRestartSec=1\n");
        text.append("# Sandboxes outlive the daemon: whatever of them is in this unit's control group stays.\n");
        text.append("KillMode=process\nSendSIGKILL=yes\nTimeoutStopSec=30\n");
        text.append("# Control groups of sandboxes are made beneath it, and a sandbox that is out of memory is no\n");
        text.append("# failure of the daemon.\nDelegate=yes\nOOMPolicy=continue\n");
        text.append("LimitNOFILE=1048576\nTasksMax=infinity\n\n");
        text.append("[Install]\nWantedBy=")
                .append(system ? "multi-user.target" : "default.target")
                .append('\n');
        return text.toString();
    }

    /** A word of systemd's own quoting, in which percent and dollar mean nothing. */
    private static String quoted(String word) {
        String plain =
                specifiers(word).replace("\\", "\\\\").replace("\"", "\\\"").replace("$", "$$");
        return "\"" + plain.replace("\n", "\\n") + "\"";
    }

    private static String specifiers(String word) {
        return word.replace("%", "%%");
    }
}
