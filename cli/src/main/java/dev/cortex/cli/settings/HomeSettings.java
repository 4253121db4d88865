package dev.cortex.cli.settings;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** Changes the home's own settings file. */
public final class HomeSettings {
    private final Home home;

    public HomeSettings(Home home) {
        this.home = home;
    }

    /**
     * @param value empty takes the setting out
     * @throws CortexException INVALID_ARGUMENT when the file would not be good afterwards; it then stays as it was
     */
    public void change(String key, Optional<String> value) {
        Path path = home.settings();
        try {
            String before = Files.exists(path) ? Files.readString(path) : "";
            String after = YamlEdit.with(before, key, value);
            SettingsFile checked =
                    SettingsFile.parse(path, after.getBytes(StandardCharsets.UTF_8), SettingsFile.Owner.HOME);
            if (!checked.problems().isEmpty()) {
                throw CortexException.of(
                        ErrorCode.INVALID_ARGUMENT,
                        String.join("\n", checked.problems()),
                        "every setting: cortex help settings");
            }
            if (!Optional.ofNullable(checked.values().get(key)).equals(value)) {
                throw CortexException.of(
                        ErrorCode.INVALID_ARGUMENT,
                        "the file is written in a way that this command does not change",
                        "edit it: " + checked.shown());
            }
            home.makeFolder();
            Path next = path.resolveSibling(".config.yaml.new");
            Files.writeString(next, after);
            Files.move(next, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw CortexException.of(ErrorCode.INTERNAL, "cannot write " + path, "make the home folder writable")
                    .because(e);
        }
    }
}
