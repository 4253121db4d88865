package dev.cortex.daemon;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where a daemon notes its port on loopback; empty when it serves the socket alone. */
final class PortFile {
    private PortFile() {}

    static Path of(Home home) {
        return home.runFolder().resolve("port");
    }

    static Optional<String> read(Home home) {
        try {
            return Optional.of(Files.readString(of(home)).strip()).filter(port -> !port.isEmpty());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
