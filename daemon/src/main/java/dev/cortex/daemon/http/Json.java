package dev.cortex.daemon.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/** The records of the operations as JSON: snake_case, absent for empty, and strict about what comes in. */
final class Json {
    private final JsonMapper mapper = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .changeDefaultPropertyInclusion(inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_ABSENT))
            // A list or map that is absent is empty; everything else that is absent and not Optional is missing.
            .withConfigOverride(List.class, config -> config.setNullHandling(EMPTY))
            .withConfigOverride(Map.class, config -> config.setNullHandling(EMPTY))
            .build();

    private static final JsonSetter.Value EMPTY = JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY);

    byte[] write(Object value) {
        return mapper.writeValueAsBytes(value);
    }

    /** @throws CortexException INVALID_ARGUMENT naming the field at fault */
    <T> T read(byte[] bytes, Class<T> type) {
        try {
            return Optional.ofNullable(mapper.readValue(bytes.length == 0 ? EMPTY_OBJECT : bytes, type))
                    .orElseThrow(() -> bad("the body is null", "send a JSON object"));
        } catch (UnrecognizedPropertyException e) {
            throw bad("there is no field '" + path(e) + "'", "its fields: " + names(e.getKnownPropertyIds()));
        } catch (StreamReadException e) {
            throw bad("the body is not JSON: " + e.getOriginalMessage(), "send a JSON object");
        } catch (StreamConstraintsException e) {
            throw bad("the body is too much: " + e.getOriginalMessage(), "send less of it");
        } catch (DatabindException e) {
            throw wrong(e);
        }
    }

    private static final byte[] EMPTY_OBJECT = {'{', '}'};

    private static CortexException bad(String message, String remedy) {
        return CortexException.of(ErrorCode.INVALID_ARGUMENT, message, remedy);
    }

    private static String names(Collection<Object> known) {
        return known == null
                ? "none"
                : known.stream().map(String::valueOf).sorted().collect(Collectors.joining(", "));
    }

    private static String path(DatabindException e) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference step : e.getPath()) {
            if (step.getPropertyName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step.getPropertyName());
            }
        }
        return path.isEmpty() ? "(the whole)" : path.toString();
    }

    private static CortexException wrong(DatabindException e) {
        // Jackson has no type of its own for it.
        boolean missing = e.getOriginalMessage().startsWith("Null value for creator property");
        String what = missing ? "is missing" : "is wrong: " + firstLine(e);
        return bad("the field '" + path(e) + "' " + what, "see /api/v1/openapi.json");
    }

    /** Jackson's words about Java's classes behind the first line say nothing to a client. */
    private static String firstLine(DatabindException e) {
        String message = e.getOriginalMessage();
        int end = message.indexOf('\n');
        String line = end < 0 ? message : message.substring(0, end);
        return line.replace("java.lang.", "").replace("java.util.", "");
    }
}
