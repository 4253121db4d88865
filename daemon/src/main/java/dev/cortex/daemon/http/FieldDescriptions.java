package dev.cortex.daemon.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/** What is said of each field of the API's records, by {@code RECORD.FIELD}. Read when somebody asks for the document. */
final class FieldDescriptions {
    private static final String FILE = "fields.properties";

    private final Properties all = new Properties();

    FieldDescriptions() {
        try (InputStream file = FieldDescriptions.class.getResourceAsStream(FILE)) {
            if (file == null) {
                throw new IllegalStateException(FILE + " is not in the jar");
            }
            try (Reader text = new InputStreamReader(file, StandardCharsets.UTF_8)) {
                all.load(text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(FILE, e);
        }
    }

    Optional<String> of(String record, String field) {
        return Optional.ofNullable(all.getProperty(record + "." + field));
    }

    /** Every {@code RECORD.FIELD} that is described. */
    Set<String> names() {
        return new TreeSet<>(all.stringPropertyNames());
    }
}
