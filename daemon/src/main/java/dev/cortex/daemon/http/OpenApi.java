package dev.cortex.daemon.http;

import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operation.Body;
import dev.cortex.protocol.operation.Operation.Parameter;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The OpenAPI 3.1 document of a table of operations, made from the table and its records. */
final class OpenApi {
    private final List<Operation<?, ?>> operations;
    private final String version;
    private final RecordSchemas schemas = new RecordSchemas();

    OpenApi(List<Operation<?, ?>> operations, String version) {
        this.operations = operations;
        this.version = version;
    }

    Map<String, Object> document() {
        Map<String, Object> paths = new LinkedHashMap<>();
        for (Operation<?, ?> operation : operations) {
            @SuppressWarnings("unchecked") // Only such maps are put in.
            Map<String, Object> path = (Map<String, Object>)
                    paths.computeIfAbsent(Operations.PREFIX + operation.path(), any -> new LinkedHashMap<>());
            path.put(operation.method().name().toLowerCase(Locale.ROOT), operation(operation));
        }
        String problem = schemas.reference(Problem.class);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.1.0");
        document.put("info", Map.of("title", "Cortex", "version", version.isEmpty() ? "0" : version));
        document.put("servers", List.of(Map.of("url", "http://127.0.0.1:3100")));
        document.put("security", List.of(Map.of("token", List.of())));
        document.put("paths", paths);
        document.put("components", components(problem));
        return document;
    }

    private Map<String, Object> components(String problem) {
        Map<String, Object> error = Map.of(
                "description",
                "What happened, why, and the one next step",
                "content",
                Map.of(Problem.CONTENT_TYPE, Map.of("schema", Map.of("$ref", problem))));
        return Map.of(
                "schemas",
                schemas.all(),
                "responses",
                Map.of("Problem", error),
                "securitySchemes",
                Map.of("token", Map.of("type", "http", "scheme", "bearer")));
    }

    private Map<String, Object> operation(Operation<?, ?> operation) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("operationId", operation.name());
        described.put("summary", operation.summary());
        described.put(
                "tags", List.of(operation.name().substring(0, operation.name().indexOf('.'))));
        List<Object> parameters = parameters(operation);
        if (!parameters.isEmpty()) {
            described.put("parameters", parameters);
        }
        if (operation.body() == Body.UPLOAD) {
            described.put(
                    "requestBody", Map.of("required", true, "content", Map.of("application/octet-stream", Map.of())));
        } else if (operation.request() != Void.class) {
            described.put("requestBody", Map.of("required", true, "content", json(operation.request())));
        }
        Map<String, Object> responses = new LinkedHashMap<>();
        responses.put(operation.body() == Body.FRAMES ? "101" : "200", success(operation));
        responses.put("default", Map.of("$ref", "#/components/responses/Problem"));
        described.put("responses", responses);
        return described;
    }

    private Map<String, Object> success(Operation<?, ?> operation) {
        return switch (operation.body()) {
            case JSON, UPLOAD -> Map.of("description", "Done", "content", json(operation.response()));
            case DOWNLOAD ->
                Map.of("description", "The bytes", "content", Map.of("application/octet-stream", Map.of()));
            case EVENTS ->
                Map.of(
                        "description",
                        "Server-sent events; each one's data is this record",
                        "content",
                        Map.of("text/event-stream", Map.of("schema", schemas.of(operation.response()))));
            case FRAMES ->
                Map.of("description", "The connection is upgraded to " + Operations.FRAMES + ", raw frames both ways");
        };
    }

    private Map<String, Object> json(Class<?> type) {
        return Map.of("application/json", Map.of("schema", schemas.of(type)));
    }

    private static List<Object> parameters(Operation<?, ?> operation) {
        List<Object> parameters = new ArrayList<>();
        for (String segment : Route.segments(operation.path())) {
            if (segment.startsWith("{")) {
                String name = segment.substring(1, segment.length() - 1);
                parameters.add(parameter(name, "path", "string", true, "a " + name + "'s name or id"));
            }
        }
        for (Parameter declared : operation.parameters()) {
            parameters.add(
                    parameter(declared.name(), "query", declared.type(), declared.required(), declared.summary()));
        }
        return parameters;
    }

    private static Map<String, Object> parameter(
            String name, String place, String type, boolean required, String description) {
        Map<String, Object> parameter = new LinkedHashMap<>();
        parameter.put("name", name);
        parameter.put("in", place);
        parameter.put("required", required);
        parameter.put("description", description);
        parameter.put("schema", Map.of("type", type));
        return parameter;
    }
}
