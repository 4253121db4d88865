package dev.cortex.cli.completion;

import dev.cortex.cli.command.Flag;
import dev.cortex.cli.host.HostText;

/** What a flag's value can be. */
final class Values {
    private Values() {}

    static Wish of(Flag flag) {
        return switch (flag.name()) {
            case "image" -> new Wish.Images(true);
            case "driver" -> Wish.Words.of("auto", "oci", "oci/runsc", "oci/crun", "oci/runc", "process");
            case "runtime" -> Wish.Words.of("runsc", "crun", "runc");
            case "seccomp" -> Wish.Words.of("default", "nested", "debug");
            case "then" -> Wish.Words.of("stop", "pause", "remove");
            case "restart" -> Wish.Words.of("no", "on-boot");
            case "color" -> Wish.Words.of("auto", "always", "never");
            case "signal" -> Wish.Words.of("TERM", "INT", "HUP", "KILL", "QUIT", "USR1", "USR2", "STOP", "CONT");
            case "home", "workspace" -> new Wish.Folders();
            case "config", "mount" -> new Wish.Files();
            case "env" -> Wish.Words.of(HostText.variableNames());
            default -> new Wish.Unknown();
        };
    }
}
