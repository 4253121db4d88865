package dev.cortex.images;

import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.image.Image;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is honoured of an OCI image configuration
 * (https://github.com/opencontainers/image-spec/blob/main/config.md), which a stranger wrote.
 */
record ImageConfiguration(String platform, Image.Config config, Map<String, String> labels, Optional<Instant> created) {
    /** More than a kernel hands to a program, so that no working image is refused. */
    private static final int MOST_TEXTS = 10_000;

    private static final int LONGEST_USER = 256;

    static ImageConfiguration parse(String json) {
        try {
            JsonNode root = JsonMapper.shared().readTree(json);
            JsonNode config = root.path("config");
            return new ImageConfiguration(
                    text(root.path("os")) + "/" + text(root.path("architecture")),
                    new Image.Config(
                            environment(config.path("Env")),
                            workdir(text(config.path("WorkingDir"))),
                            user(text(config.path("User"))),
                            texts(config.path("Entrypoint")),
                            texts(config.path("Cmd"))),
                    labels(config.path("Labels")),
                    instant(text(root.path("created"))));
        } catch (JacksonException e) {
            throw refused("it is no JSON: " + e.getOriginalMessage());
        }
    }

    private static Map<String, String> environment(JsonNode list) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String pair : texts(list)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                environment.put(pair.substring(0, equals), pair.substring(equals + 1));
            }
        }
        return environment;
    }

    private static Optional<String> workdir(String path) {
        if (path.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(path.startsWith("/") ? path : "/" + path);
    }

    private static Optional<String> user(String user) {
        if (user.length() > LONGEST_USER) {
            throw refused("its user's name has " + user.length() + " characters");
        }
        return user.isEmpty() ? Optional.empty() : Optional.of(user);
    }

    private static Map<String, String> labels(JsonNode object) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (object.size() > MOST_TEXTS) {
            throw refused("it has " + object.size() + " labels");
        }
        object.properties().forEach(label -> labels.put(label.getKey(), text(label.getValue())));
        return labels;
    }

    private static List<String> texts(JsonNode list) {
        if (list.isMissingNode() || list.isNull()) {
            return List.of();
        }
        if (!list.isArray() || list.size() > MOST_TEXTS) {
            throw refused("a list of words was expected");
        }
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(text(each)));
        return texts;
    }

    private static String text(JsonNode node) {
        if (node.isMissingNode() || node.isNull()) {
            return "";
        }
        if (!node.isString() || node.asString().indexOf('\0') >= 0) {
            throw refused("a text was expected");
        }
        return node.asString();
    }

    /** A date that is none tells nobody anything, and breaks nothing. */
    private static Optional<Instant> instant(String text) {
        try {
            return text.isEmpty()
                    ? Optional.empty()
                    : Optional.of(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static CortexException refused(String why) {
        return CortexException.of(
                ErrorCode.INVALID_ARGUMENT,
                "the image's configuration cannot be used: " + why,
                "look at it: skopeo inspect --config, or docker inspect");
    }
}
