package dev.cortex.cli.host;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Where Cortex is installed; the script that started us says so.
 *
 * @param folder holds {@code bin/} and {@code version}
 * @param script the command {@code cortex} itself
 */
public record Install(Path folder, Path script) {
    public static Install current() {
        String folder = System.getProperty("cortex.install", "out");
        return new Install(Path.of(folder), Path.of(System.getProperty("cortex.script", folder + "/../cortex")));
    }

    public Path launcher() {
        return folder.resolve("bin/launcher");
    }

    /** The build's version, empty where nobody wrote one. */
    public String version() {
        try (FileInputStream file =
                new FileInputStream(folder.resolve("version").toString())) {
            return new String(file.readAllBytes(), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
