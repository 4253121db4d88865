package dev.cortex.daemon.http;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operation.Parameter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request's query, held against what its operation declares. Every problem is told together. */
final class Query {
    private Query() {}

    static Map<String, String> parse(Operation<?, ?> operation, Optional<String> query) {
        Map<String, String> values = new HashMap<>();
        List<String> problems = new ArrayList<>();
        for (String pair : query.orElse("").split("&")) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String name = Percent.decode(equals < 0 ? pair : pair.substring(0, equals), true);
            String value = equals < 0 ? "" : Percent.decode(pair.substring(equals + 1), true);
            Optional<Parameter> parameter = declared(operation, name);
            if (parameter.isEmpty()) {
                problems.add("there is no parameter '" + name + "'");
            } else if (values.put(name, value) != null) {
                problems.add("'" + name + "' is given twice");
            } else {
                typeProblem(parameter.get(), value).ifPresent(problems::add);
            }
        }
        for (Parameter parameter : operation.parameters()) {
            if (parameter.required() && !values.containsKey(parameter.name())) {
                problems.add("'" + parameter.name() + "' is missing");
            }
        }
        if (!problems.isEmpty()) {
            throw CortexException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    operation.name() + ": " + String.join("; ", problems),
                    remedy(operation));
        }
        return values;
    }

    private static Optional<Parameter> declared(Operation<?, ?> operation, String name) {
        return operation.parameters().stream()
                .filter(parameter -> parameter.name().equals(name))
                .findFirst();
    }

    private static Optional<String> typeProblem(Parameter parameter, String value) {
        String problem = switch (parameter.type()) {
            case "integer" -> isInteger(value) ? "" : "a whole number";
            case "boolean" ->
                switch (value) {
                    case "", "true", "false", "0", "1" -> "";
                    default -> "true or false";
                };
            default -> "";
        };
        return problem.isEmpty() ? Optional.empty() : Optional.of("'" + parameter.name() + "' must be " + problem);
    }

    private static boolean isInteger(String value) {
        try {
            Long.parseLong(value);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static String remedy(Operation<?, ?> operation) {
        if (operation.parameters().isEmpty()) {
            return "it takes no parameters";
        }
        List<String> names =
                operation.parameters().stream().map(Parameter::name).toList();
        return "it takes: " + String.join(", ", names);
    }
}
