package dev.cortex.testkit.soak;

import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.protocol.home.Home;
import dev.cortex.testkit.http.HttpAnswer;
import dev.cortex.testkit.http.UnixHttp;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One client: creates a sandbox, runs a command to its end, kills another, removes the sandbox, and again. */
final class SoakClient implements Runnable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String SANDBOXES = "/api/v1/sandboxes";
    private static final int KILLED = 137;

    private final Home home;
    private final String runtime;
    private final String prefix;
    private final BooleanSupplier goesOn;
    private final Laps laps;
    private final Faults faults;

    SoakClient(Home home, String runtime, String prefix, BooleanSupplier goesOn, Laps laps, Faults faults) {
        this.home = home;
        this.runtime = runtime;
        this.prefix = prefix;
        this.goesOn = goesOn;
        this.laps = laps;
        this.faults = faults;
    }

    @Override
    public void run() {
        for (int turn = 0; goesOn.getAsBoolean(); turn++) {
            try (UnixHttp http = UnixHttp.to(home.socket())) {
                turn(http, prefix + "-" + turn);
            } catch (IOException e) {
                faults.untyped("connection: " + e.getMessage());
            }
        }
    }

    private void turn(UnixHttp http, String name) throws IOException {
        String sandbox = SANDBOXES + "/" + name;
        boolean made = timed(
                "create",
                () -> http.post(
                        SANDBOXES, "{\"name\":\"" + name + "\",\"driver\":\"oci\",\"runtime\":\"" + runtime + "\"}"),
                answer -> answer.path("state").asString("").equals("running"));
        if (!made) {
            return;
        }
        try {
            timed(
                    "exec",
                    () -> http.post(sandbox + "/exec", "{\"session\":{\"argv\":[\"echo\",\"" + name + "\"]}}"),
                    answer -> answer.path("stdout").asString("").equals(name + "\n"));
            kill(http, sandbox);
        } finally {
            timed(
                    "remove",
                    () -> http.delete(sandbox + "?force=true&wipe=true"),
                    answer -> answer.path("left").isEmpty());
        }
    }

    private void kill(UnixHttp http, String sandbox) throws IOException {
        HttpAnswer started = http.post(sandbox + "/sessions", "{\"argv\":[\"sleep\",\"1000\"]}");
        if (!started.isSuccess()) {
            refused("start", started);
            return;
        }
        String session = sandbox + "/sessions/"
                + JSON.readTree(started.body()).path("id").asString("");
        timed("kill", () -> http.post(session + "/signal", "{\"signal\":\"KILL\",\"all\":true}"), answer -> true);
        HttpAnswer ended = http.get(session + "?wait_ms=30000");
        if (!ended.isSuccess()) {
            refused("wait", ended);
        } else if (JSON.readTree(ended.body()).path("status").asInt(-1) != KILLED) {
            faults.untyped("a killed session says " + ended.text());
        }
    }

    private interface Call {
        HttpAnswer make() throws IOException;
    }

    private interface Expectation {
        boolean holds(JsonNode answer);
    }

    private boolean timed(String step, Call call, Expectation expectation) throws IOException {
        long begin = System.nanoTime();
        HttpAnswer answer = call.make();
        laps.add(step, System.nanoTime() - begin);
        if (!answer.isSuccess()) {
            refused(step, answer);
            return false;
        }
        if (!expectation.holds(JSON.readTree(answer.body()))) {
            faults.untyped(step + " answered " + answer.text());
            return false;
        }
        return true;
    }

    /** An error of the family says by its code what it is; anything else is none that a client could understand. */
    private void refused(String step, HttpAnswer answer) {
        String code;
        try {
            code = JSON.readTree(answer.body()).path("code").asString("");
        } catch (JacksonException e) {
            code = "";
        }
        if (ErrorCode.named(code).isPresent()) {
            faults.typed(step + " " + code, answer.text());
        } else {
            faults.untyped(step + " " + answer.status() + ": " + answer.text());
        }
    }
}
