package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What takes all that it can get is ended with a cause that says why; its sandbox stays usable, and its neighbour's
 * commands go on. Every bomb has one processor, a limit of processes and an end of its own. How much slower the
 * neighbour was is printed, for people to judge.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BombContract {
    /** A stall, not a slow machine: ten times the 20 ms that are promised, and that on a shared one. */
    private static final long MOST_MICROS = 2_000_000;

    private static final JsonMapper JSON = new JsonMapper();

    private final CortexHome cortex = CortexHome.open().withTools().with("CORTEX_DISK_POOL", "btrfs");
    private final AtomicReference<Neighbour.Latency> idle = new AtomicReference<>();
    private HttpDoor door;

    /** The program beneath {@code oci}. */
    abstract String runtime();

    long memoryBytes() {
        return 256L << 20;
    }

    /** A bomb that took its sandbox with it shall not spoil the next one's. */
    @BeforeEach
    void startTheBomberAgain() throws Exception {
        if (!inspected().path("state").asString().equals("running")) {
            start();
        }
    }

    JsonNode inspected() throws IOException, InterruptedException {
        return parsed(door.get("/sandboxes/bomber").body());
    }

    void start() throws Exception {
        HttpDoor.Answer answer = door.post("/sandboxes/bomber/start", "");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    @BeforeAll
    void makeNeighbours() throws Exception {
        cortex.cortex("ls").succeeded();
        door = HttpDoor.to(cortex);
        create("neighbour", "");
        create(
                "bomber",
                ",\"cpus\":1,\"memory_bytes\":" + memoryBytes() + ",\"processes\":200,\"disk_bytes\":" + (64L << 20));
        Neighbour neighbour = new Neighbour(door, "neighbour");
        neighbour.measure();
        idle.set(neighbour.measure());
        System.out.println(runtime() + ": neighbour of nobody: " + idle.get());
    }

    @AfterAll
    void leaveNothing() throws Exception {
        cortex.close();
    }

    @Test
    void aForkBombEndsWithItsSession() throws Exception {
        String bomb =
                "import os,time\nend=time.time()+10\nwhile time.time()<end:\n  try: os.fork()\n  except OSError: time.sleep(0.01)\n";
        JsonNode result = explode("fork bomb", List.of("python3", "-c", bomb), 8_000);
        assertThat(result.path("cause").asString()).isEqualTo("timeout");
        assertUsable();
        assertThat(shell("ls -d /proc/[0-9]* | wc -l").path("stdout").asString().strip())
                .matches("[1-9]");
    }

    @Test
    void aMemoryBombIsEndedByTheLimitAndSaysSo() throws Exception {
        String bomb = "import time\nend=time.time()+10\nhad=[]\nwhile time.time()<end: had.append(bytearray(1<<20))\n";
        JsonNode result = explode("memory bomb", List.of("python3", "-c", bomb), 20_000);
        assertMemoryBombEnded(result);
    }

    /** Where the limit ends the command and not the sandbox. */
    void assertMemoryBombEnded(JsonNode result) throws Exception {
        assertThat(result.path("cause").asString()).isEqualTo("out_of_memory");
        assertUsable();
    }

    @Test
    void aFloodOfOutputIsCutAndTheRestIsCounted() throws Exception {
        String flood =
                "end=$(($(date +%s)+8)); while [ $(date +%s) -lt $end ]; do head -c 50000000 /dev/zero | tr '\\0' x; done";
        JsonNode result = explode("output flood", List.of("sh", "-c", flood), 60_000);
        assertThat(result.path("cause").asString()).isEqualTo("exited");
        assertThat(result.path("truncated").asBoolean()).isTrue();
        assertThat(result.path("stdout").asString()).hasSizeLessThanOrEqualTo(1 << 20);
        assertUsable();
    }

    @Test
    void aDiskBombEndsAtTheLimitOfItsDisk() throws Exception {
        String bomb = "import errno,os,time\nend=time.time()+10\nf=open('/home/agent/full','wb')\n"
                + "try:\n  while time.time()<end: f.write(os.urandom(1<<20)); f.flush(); os.fsync(f.fileno())\n"
                + "except OSError as e: print(errno.errorcode[e.errno], flush=True)\nos._exit(0)\n";
        JsonNode result = explode("disk bomb", List.of("python3", "-c", bomb), 30_000);
        assertThat(result.path("stdout").asString().strip())
                .as(result.toString())
                .isIn("EDQUOT", "ENOSPC");
        HttpDoor.Answer upload = door.put("/sandboxes/bomber/files?path=/home/agent/more", new byte[4 << 20]);
        assertThat(upload.status()).as(upload.body()).isEqualTo(507);
        assertThat(upload.body()).contains("DISK_FULL").contains("cortex usage");
        assertUsable();
        assertThat(shell("rm /home/agent/full && echo room > /home/agent/room")
                        .path("status")
                        .asInt())
                .isZero();
    }

    @Test
    void anInodeBombEndsAtTheLimitOfItsDisk() throws Exception {
        String bomb = "import errno,os,time\nend=time.time()+40\nos.makedirs('/home/agent/many')\ni=0\n"
                + "try:\n  while time.time()<end: os.close(os.open('/home/agent/many/'+'n'*200+str(i), os.O_CREAT)); i+=1\n"
                + "except OSError as e: print(errno.errorcode[e.errno])\n";
        JsonNode result = explode("inode bomb", List.of("python3", "-c", bomb), 60_000);
        assertThat(result.path("stdout").asString().strip())
                .as(result.toString())
                .isIn("EDQUOT", "ENOSPC");
        assertUsable();
        assertThat(shell("rm -rf /home/agent/many && echo room > /home/agent/room")
                        .path("status")
                        .asInt())
                .isZero();
    }

    @Test
    void tenThousandSessionsAreAnsweredOrRefusedWithTheirCause() throws Exception {
        List<String> answers = new ArrayList<>();
        Thread bomber = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 10_000; i++) {
                    answers.add(door.post("/sandboxes/bomber/sessions", "{\"argv\":[\"sleep\",\"2\"]}")
                            .body());
                }
            } catch (Exception e) {
                answers.add(e.toString());
            }
        });
        say("10,000 sessions", new Neighbour(door, "neighbour").measure());
        bomber.join();
        assertThat(answers).hasSize(10_000);
        for (String answer : answers) {
            JsonNode json = parsed(answer);
            if (!json.has("id")) {
                assertThat(json.path("code").asString()).as(answer).isIn("CAPACITY", "OUT_OF_MEMORY");
            }
        }
        CortexHome.await(() -> door.get("/sandboxes/bomber/sessions").body().contains("\"state\":\"exited\""), "ends");
        assertUsable();
    }

    // ---- what the bombs share

    private void create(String name, String limits) throws Exception {
        HttpDoor.Answer answer = door.post(
                "/sandboxes",
                "{\"name\":\"" + name + "\",\"driver\":\"oci\",\"runtime\":\"" + runtime() + "\"" + limits + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    /** Runs a bomb while the neighbour works; answers the bomb's result. */
    private JsonNode explode(String what, List<String> argv, long timeoutMs) throws Exception {
        AtomicReference<Object> outcome = new AtomicReference<>("nothing");
        Thread bomber = Thread.ofPlatform().start(() -> {
            try {
                outcome.set(exec("bomber", argv, timeoutMs));
            } catch (Exception e) {
                outcome.set(e);
            }
        });
        say(what, new Neighbour(door, "neighbour").measure());
        bomber.join();
        if (outcome.get() instanceof JsonNode result) {
            return result;
        }
        throw new AssertionError(what + ": " + outcome.get());
    }

    private void say(String what, Neighbour.Latency latency) {
        System.out.println(runtime() + ": neighbour of a " + what + ": " + latency + "; p99 is "
                + Math.round(10.0 * latency.p99Micros() / idle.get().p99Micros()) / 10.0 + " times its idle one");
        assertThat(latency.p99Micros()).isLessThan(MOST_MICROS);
    }

    JsonNode exec(String sandbox, List<String> argv, long timeoutMs) throws Exception {
        ObjectNode request = JSON.createObjectNode();
        ObjectNode session = request.putObject("session").put("timeout_ms", timeoutMs);
        argv.forEach(session.putArray("argv")::add);
        HttpDoor.Answer answer = door.post("/sandboxes/" + sandbox + "/exec", request.toString());
        return parsed(answer.body());
    }

    JsonNode shell(String script) throws Exception {
        return exec("bomber", List.of("sh", "-c", script), 60_000);
    }

    void assertUsable() throws Exception {
        // What a bomb leaves may need a moment to be gone.
        CortexHome.await(
                () -> door.post("/sandboxes/bomber/exec", "{\"session\":{\"argv\":[\"echo\",\"usable\"]}}")
                        .body()
                        .contains("\"stdout\":\"usable\\n\""),
                "the bomber's sandbox to be usable");
    }

    private static JsonNode parsed(String text) {
        return JSON.readTree(text);
    }
}
