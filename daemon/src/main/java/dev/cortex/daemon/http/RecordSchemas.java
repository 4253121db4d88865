package dev.cortex.daemon.http;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** JSON schemas of records, as {@link Json} writes and reads them. Each record is a component of its own. */
final class RecordSchemas {
    private static final String PREFIX = "#/components/schemas/";

    private final Map<String, Object> components = new LinkedHashMap<>();
    private final FieldDescriptions descriptions = new FieldDescriptions();

    Map<String, Object> all() {
        return components;
    }

    Map<String, Object> of(Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic(generic);
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isRecord()) {
            return Map.of("$ref", reference(plain));
        }
        if (plain == int.class || plain == long.class || plain == Integer.class || plain == Long.class) {
            boolean wide = plain == long.class || plain == Long.class;
            return Map.of("type", "integer", "format", wide ? "int64" : "int32");
        }
        if (plain == double.class || plain == Double.class) {
            return Map.of("type", "number");
        }
        if (plain == boolean.class || plain == Boolean.class) {
            return Map.of("type", "boolean");
        }
        if (plain == Instant.class) {
            return Map.of("type", "string", "format", "date-time");
        }
        if (plain == String.class) {
            return Map.of("type", "string");
        }
        throw new IllegalArgumentException("records of the API hold no " + plain.getName());
    }

    private Map<String, Object> generic(ParameterizedType type) {
        Type[] arguments = type.getActualTypeArguments();
        if (type.getRawType() == Optional.class) {
            return of(arguments[0]);
        }
        if (type.getRawType() == List.class) {
            return Map.of("type", "array", "items", of(arguments[0]));
        }
        if (type.getRawType() == Map.class) {
            return Map.of("type", "object", "additionalProperties", of(arguments[1]));
        }
        throw new IllegalArgumentException("records of the API hold no " + type);
    }

    /** Where a record's schema stands. */
    String reference(Class<?> type) {
        String name = name(type);
        if (!components.containsKey(name)) {
            Map<String, Object> schema = new LinkedHashMap<>();
            // Before its fields: a record may hold itself.
            components.put(name, schema);
            fill(schema, type);
        }
        return PREFIX + name;
    }

    private void fill(Map<String, Object> schema, Class<?> type) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String field = snakeCase(component.getName());
            properties.put(field, described(name(type), field, of(component.getGenericType())));
            Class<?> raw = component.getType();
            if (raw != Optional.class && raw != List.class && raw != Map.class) {
                required.add(field);
            }
        }
        schema.put("type", "object");
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        schema.put("additionalProperties", false);
    }

    /** Beside a reference too: since 3.1 what stands beside it counts. */
    private Map<String, Object> described(String record, String field, Map<String, Object> schema) {
        Map<String, Object> described = new LinkedHashMap<>(schema);
        descriptions.of(record, field).ifPresent(text -> described.put("description", text));
        return described;
    }

    /** Records of a group carry its name: two groups may both have a Request. */
    private static String name(Class<?> type) {
        Class<?> group = type.getDeclaringClass();
        return group == null ? type.getSimpleName() : group.getSimpleName() + type.getSimpleName();
    }

    private static String snakeCase(String name) {
        StringBuilder snake = new StringBuilder();
        for (char character : name.toCharArray()) {
            if (Character.isUpperCase(character)) {
                snake.append('_');
            }
            snake.append(Character.toLowerCase(character));
        }
        return snake.toString();
    }
}
