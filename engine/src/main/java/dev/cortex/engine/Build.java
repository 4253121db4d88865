package dev.cortex.engine;

import dev.cortex.drivers.launch.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * Tells the programs that sandboxes are made with from those of another build: a sandbox that was started ahead by others
 * is not handed out.
 */
final class Build {
    private Build() {}

    static String of(Path installation) {
        Installation programs = new Installation(installation);
        StringBuilder build = new StringBuilder(Version.of(installation));
        for (Path program : List.of(programs.neuron(), programs.launcher())) {
            build.append(' ').append(seen(program));
        }
        return build.toString();
    }

    private static String seen(Path program) {
        try {
            BasicFileAttributes file = Files.readAttributes(program, BasicFileAttributes.class);
            return file.size() + "@" + file.lastModifiedTime().toMillis();
        } catch (IOException e) {
            return "none";
        }
    }
}
