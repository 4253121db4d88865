package dev.cortex.drivers.launch;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.driver.Boot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's own id of its boot (Documentation/admin-guide/sysctl/kernel.rst, random). */
public record LinuxBoot(String id) implements Boot {
    private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

    /** @throws CortexException NOT_READY when it cannot be read */
    public static LinuxBoot read() {
        try {
            return new LinuxBoot(Files.readString(FILE).strip());
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.NOT_READY, FILE + " cannot be read", "mount proc on /proc")
                    .because(e);
        }
    }
}
