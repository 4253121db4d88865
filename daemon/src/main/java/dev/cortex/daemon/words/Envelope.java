package dev.cortex.daemon.words;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.cortex.protocol.error.CortexException;
import java.util.Optional;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * What every command prints with {@code --json}, on one line.
 *
 * @param data absent in an error
 * @param error absent in an answer
 */
public record Envelope(int schemaVersion, String kind, Optional<Object> data, Optional<Failure> error) {
    private static final int VERSION = 1;

    public static String of(String kind, Object data) {
        return new Envelope(VERSION, kind, Optional.of(data), Optional.empty()).text();
    }

    public static String of(CortexException error) {
        return new Envelope(
                        VERSION,
                        "error",
                        Optional.empty(),
                        Optional.of(
                                new Failure(error.code().name(), error.getMessage(), error.reason(), error.remedy())))
                .text();
    }

    /** @param cause why, in words */
    public record Failure(String code, String message, Optional<String> cause, Optional<String> remedy) {}

    private String text() {
        JsonMapper mapper = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .changeDefaultPropertyInclusion(
                        inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_ABSENT))
                .build();
        return mapper.writeValueAsString(this);
    }
}
