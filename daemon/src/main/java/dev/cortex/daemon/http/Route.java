package dev.cortex.daemon.http;

import dev.cortex.protocol.operation.Operation;
import dev.cortex.protocol.operation.Operations;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An operation's path, cut into its segments once. */
final class Route {
    private final Operation<?, ?> operation;
    private final List<String> segments;

    Route(Operation<?, ?> operation) {
        this.operation = operation;
        this.segments = segments(Operations.PREFIX + operation.path());
    }

    Operation<?, ?> operation() {
        return operation;
    }

    /** Segments without the leading slash; those of a request are still encoded. */
    static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        int begin = 1;
        for (int slash = path.indexOf('/', begin); slash >= 0; slash = path.indexOf('/', begin)) {
            segments.add(path.substring(begin, slash));
            begin = slash + 1;
        }
        segments.add(path.substring(Math.min(begin, path.length())));
        return segments;
    }

    /** How many of its segments are fixed: of two routes that match, the one with more is meant. */
    int fixed() {
        int fixed = 0;
        for (String segment : segments) {
            if (!isParameter(segment)) {
                fixed++;
            }
        }
        return fixed;
    }

    /** The parameters of a request's path, where it is this route's. */
    Optional<Map<String, String>> match(List<String> path) {
        if (path.size() != segments.size()) {
            return Optional.empty();
        }
        Map<String, String> parameters = new HashMap<>();
        for (int i = 0; i < path.size(); i++) {
            String wanted = segments.get(i);
            String given = Percent.decode(path.get(i), false);
            if (isParameter(wanted)) {
                if (given.isEmpty()) {
                    return Optional.empty();
                }
                parameters.put(wanted.substring(1, wanted.length() - 1), given);
            } else if (!wanted.equals(given)) {
                return Optional.empty();
            }
        }
        return Optional.of(parameters);
    }

    private static boolean isParameter(String segment) {
        return segment.startsWith("{");
    }
}
