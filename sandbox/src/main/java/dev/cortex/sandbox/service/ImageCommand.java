package dev.cortex.sandbox.service;

import dev.cortex.protocol.api.CreateSandbox;
import dev.cortex.protocol.api.StartSession;
import dev.cortex.sandbox.image.Image;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * What a sandbox's first session runs, by docker's rules: the command is handed to the image's entrypoint, and where
 * there is none the image's own command is; another entrypoint puts the image's command out of force as well. Sessions
 * that are started later run what they name and nothing else.
 */
final class ImageCommand {
    private ImageCommand() {}

    static StartSession of(StartSession session, CreateSandbox request, Image image) {
        Image.Config config = image.config();
        List<String> entrypoint = request.entrypoint().orElse(config.entrypoint());
        boolean named = !session.argv().isEmpty() || !session.argvB64().isEmpty();
        if (!named) {
            List<String> command = request.entrypoint().isPresent() ? List.of() : config.command();
            return session.with(joined(entrypoint, command), List.of());
        }
        if (session.argvB64().isEmpty()) {
            return session.with(joined(entrypoint, session.argv()), List.of());
        }
        List<String> encoded = entrypoint.stream()
                .map(word -> Base64.getEncoder().encodeToString(word.getBytes(StandardCharsets.UTF_8)))
                .toList();
        return session.with(session.argv(), joined(encoded, session.argvB64()));
    }

    private static List<String> joined(List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
