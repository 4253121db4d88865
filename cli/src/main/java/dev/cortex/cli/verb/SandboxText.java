package dev.cortex.cli.verb;

import dev.cortex.cli.json.Json;
import dev.cortex.cli.terminal.Printable;

/** A sandbox in words. */
final class SandboxText {
    private SandboxText() {}

    /** Name, state, driver and image, as create and start answer. */
    static String line(Json sandbox) {
        return sandbox.get("name").text() + "  " + sandbox.get("state").text() + "  " + driver(sandbox) + "  "
                + image(sandbox);
    }

    /** Such as {@code oci/crun}. */
    static String driver(Json sandbox) {
        String runtime = sandbox.get("runtime").text();
        String driver = sandbox.get("driver").text();
        return runtime.isEmpty() ? driver : driver + "/" + runtime;
    }

    /** With the first digits of its digest where it has one. */
    static String image(Json sandbox) {
        String digest = sandbox.get("image_digest").text();
        String image = Printable.of(sandbox.get("image").text());
        int colon = digest.indexOf(':');
        return digest.length() < colon + 6 || colon < 0 ? image : image + "@" + digest.substring(0, colon + 5) + "…";
    }
}
