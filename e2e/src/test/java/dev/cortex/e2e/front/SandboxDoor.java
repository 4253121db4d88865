package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** One sandbox of a home, over the HTTP API. */
final class SandboxDoor {
    private static final JsonMapper JSON = new JsonMapper();
    private static final long MOST_MILLIS = 60_000;

    private final HttpDoor door;
    private final String name;

    private SandboxDoor(HttpDoor door, String name) {
        this.door = door;
        this.name = name;
    }

    /** @param limits further members of the request, each after a comma */
    static SandboxDoor create(HttpDoor door, String name, String runtime, String limits) throws Exception {
        HttpDoor.Answer answer = door.post(
                "/sandboxes",
                "{\"name\":\"" + name + "\",\"driver\":\"oci\",\"runtime\":\"" + runtime + "\"" + limits + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return new SandboxDoor(door, name);
    }

    /** The same of the warm pool: one of its kind was asked for before, so that others are started ahead. */
    static SandboxDoor createFromASpare(HttpDoor door, String name, String runtime, String limits) throws Exception {
        JsonNode asked = create(door, "asked-before", runtime, limits).get("").path("limits");
        assertThat(door.delete("/sandboxes/asked-before?force=true&wipe=true").status())
                .isEqualTo(200);
        Set<String> spares = new HashSet<>();
        CortexHome.await(
                () -> {
                    spares.clear();
                    for (JsonNode spare :
                            JSON.readTree(door.get("/usage").body()).path("spares")) {
                        if (spare.path("ready").asBoolean(false)
                                && spare.path("driver").asString().equals("oci/" + runtime)
                                && spare.path("memory_limit_bytes").equals(asked.path("memory_bytes"))
                                && spare.path("process_limit").equals(asked.path("processes"))) {
                            spares.add(spare.path("id").asString());
                        }
                    }
                    return !spares.isEmpty();
                },
                "spares of the kind that was asked for");
        SandboxDoor made = create(door, name, runtime, limits);
        assertThat(spares)
                .as("the sandbox was one of them")
                .contains(made.get("").path("id").asString());
        return made;
    }

    /** Runs a command to its end; answers its result, or the problem. */
    JsonNode exec(String user, List<String> argv, long timeoutMs) throws Exception {
        ObjectNode request = JSON.createObjectNode();
        ObjectNode session = request.putObject("session").put("timeout_ms", timeoutMs);
        if (!user.isEmpty()) {
            session.put("user", user);
        }
        argv.forEach(session.putArray("argv")::add);
        return post("/exec", request.toString());
    }

    JsonNode exec(List<String> argv, long timeoutMs) throws Exception {
        return exec("", argv, timeoutMs);
    }

    JsonNode python(String user, String program) throws Exception {
        return exec(user, List.of("python3", "-c", program), MOST_MILLIS);
    }

    JsonNode shell(String user, String script) throws Exception {
        return exec(user, List.of("sh", "-c", script), MOST_MILLIS);
    }

    /** What a script printed; it must succeed. */
    String said(String user, String script) throws Exception {
        JsonNode result = shell(user, script);
        assertThat(result.path("status").asInt(-1)).as(result.toString()).isZero();
        return result.path("stdout").asString();
    }

    JsonNode post(String path, String json) throws Exception {
        return JSON.readTree(door.post("/sandboxes/" + name + path, json).body());
    }

    JsonNode get(String path) throws Exception {
        return JSON.readTree(door.get("/sandboxes/" + name + path).body());
    }

    boolean usable() throws Exception {
        return exec(List.of("echo", "usable"), MOST_MILLIS)
                .path("stdout")
                .asString("")
                .equals("usable\n");
    }
}
