package dev.cortex.perimeter;

import dev.cortex.sandbox.perimeter.Decision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** A sandbox's decisions on disk: one file and the one before it. For one writer at a time. */
final class DecisionFile {
    /** Some five thousand decisions in both; a person looks at the latest. */
    private static final long BYTES = 512 << 10;

    private final Path file;
    private final Path before;

    /** @param folder exists as long as the sandbox's record */
    DecisionFile(Path folder) {
        this.file = folder.resolve("egress.log");
        this.before = folder.resolve("egress.log.1");
    }

    void append(List<Decision> decisions) throws IOException {
        StringBuilder lines = new StringBuilder();
        decisions.forEach(
                decision -> lines.append(DecisionLines.write(decision)).append('\n'));
        byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
        if (size() + bytes.length > BYTES) {
            Files.move(file, before, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private long size() throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    /** The last ones, oldest first. */
    List<Decision> last(int most) throws IOException {
        List<Decision> found = new ArrayList<>();
        for (Path part : List.of(before, file)) {
            read(part, found);
        }
        return List.copyOf(found.subList(Math.max(0, found.size() - most), found.size()));
    }

    private static void read(Path part, List<Decision> into) throws IOException {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(part);
        } catch (NoSuchFileException e) {
            return;
        }
        new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .forEach(line -> DecisionLines.read(line).ifPresent(into::add));
    }
}
