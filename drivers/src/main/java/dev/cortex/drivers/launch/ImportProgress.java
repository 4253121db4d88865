package dev.cortex.drivers.launch;

import java.util.Optional;
import tools.jackson.core.JacksonException;

/** How far an import is, in bytes of its source. */
public record ImportProgress(long done, long total, String doing) {
    /** Empty for a line that is something else. */
    static Optional<ImportProgress> read(String line) {
        try {
            return Optional.of(LauncherJson.MAPPER.readValue(line, ImportProgress.class));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
