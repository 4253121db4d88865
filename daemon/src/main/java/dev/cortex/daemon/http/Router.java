package dev.cortex.daemon.http;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operation.Body;
import dev.cortex.protocol.operation.Operation.Method;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Finds the operation that a request means. */
final class Router {
    private final List<Route> routes;

    Router(List<Operation<?, ?>> operations) {
        routes = operations.stream()
                .map(Route::new)
                .sorted(Comparator.comparingInt(Route::fixed).reversed())
                .toList();
    }

    /** @param head whether only the headers of the answer are wanted */
    record Found(Operation<?, ?> operation, Map<String, String> path, boolean head) {}

    /** @throws HttpProblem 404 or 405 */
    Found find(String method, String path) {
        List<String> segments = Route.segments(path);
        TreeSet<String> allowed = new TreeSet<>();
        int fixed = -1;
        for (Route route : routes) {
            // A path with a fixed last segment is not also the session or file of that name.
            if (route.fixed() < fixed) {
                break;
            }
            Optional<Map<String, String>> parameters = route.match(segments);
            if (parameters.isPresent()) {
                fixed = route.fixed();
                Operation<?, ?> operation = route.operation();
                if (accepts(operation, method)) {
                    return new Found(operation, parameters.get(), method.equals("HEAD"));
                }
                allowed.add(operation.method().name());
                if (accepts(operation, "HEAD")) {
                    allowed.add("HEAD");
                }
            }
        }
        if (allowed.isEmpty()) {
            throw HttpProblem.of(
                    404,
                    ErrorCode.NOT_FOUND,
                    "there is nothing at " + path,
                    "see /api/v1/openapi.json for what there is");
        }
        String methods = String.join(", ", allowed);
        throw HttpProblem.of(405, ErrorCode.INVALID_ARGUMENT, path + " does not take " + method, "it takes: " + methods)
                .with("Allow", methods);
    }

    private static boolean accepts(Operation<?, ?> operation, String method) {
        if (operation.method().name().equals(method)) {
            return true;
        }
        boolean answers = operation.body() == Body.JSON || operation.body() == Body.DOWNLOAD;
        return method.equals("HEAD") && operation.method() == Method.GET && answers;
    }
}
