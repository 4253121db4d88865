package dev.cortex.cli.service;

import dev.cortex.cli.host.Child;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The systemd of this machine, the system's or the user's.
 *
 * @param units where its units of ours lie
 */
public record Systemd(boolean system, Path units) {
    /** As sd_booted(3) says it. */
    private static final Path BOOTED = Path.of("/run/systemd/system");

    /** The system's for root, else the user's. */
    public static Systemd of(boolean root, Path userHome, String configHome) {
        Path config = configHome.isEmpty() ? userHome.resolve(".config") : Path.of(configHome);
        return new Systemd(root, root ? Path.of("/etc/systemd/system") : config.resolve("systemd/user"));
    }

    public Path unit() {
        return units.resolve(Unit.NAME);
    }

    public boolean runs() {
        return Files.isDirectory(BOOTED);
    }

    /** @throws CortexException NOT_READY where this machine was not started by systemd */
    public void require() {
        if (!runs()) {
            throw CortexException.of(
                    ErrorCode.NOT_READY,
                    "this machine has no running systemd",
                    "see the unit: cortex service install --dry-run        have your own init run: cortex serve");
        }
    }

    /** The words of a call of systemctl. */
    public List<String> systemctl(String... words) {
        List<String> command = new ArrayList<>(system ? List.of("systemctl") : List.of("systemctl", "--user"));
        command.addAll(List.of(words));
        return command;
    }

    /** @throws CortexException when the command fails; it has said why on stderr */
    public static void run(List<String> command) {
        if (status(command) != 0) {
            throw CortexException.of(
                    ErrorCode.INTERNAL,
                    "it failed: " + String.join(" ", command),
                    "see: journalctl -xe        undo: cortex service uninstall");
        }
    }

    private static int status(List<String> command) {
        try {
            return Child.run(command).status();
        } catch (IOException e) {
            throw CortexException.of(
                            ErrorCode.NOT_READY, command.getFirst() + " is missing", "sudo apt-get install -y systemd")
                    .because(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CortexException.of(ErrorCode.CANCELLED, "interrupted", "");
        }
    }

    /** What systemctl answers on stdout to a question such as is-active. */
    public String ask(String... words) {
        try {
            return Child.quiet(systemctl(words)).output().strip();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /**
     * Has systemd's own judge look at a unit, where that program is.
     *
     * @throws CortexException when it finds fault
     */
    public void verify(Path unit) {
        List<String> command = new ArrayList<>(List.of("systemd-analyze", "verify"));
        if (!system) {
            command.add("--user");
        }
        command.add(unit.toString());
        try {
            if (Child.run(command).status() != 0) {
                throw CortexException.of(
                        ErrorCode.INTERNAL, "systemd-analyze finds fault with " + unit, "please report it");
            }
        } catch (IOException e) {
            // It comes in a package of its own on some distributions; systemd itself looks next.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
