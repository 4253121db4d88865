package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;

/** A sandbox beside one that misbehaves, and how long its commands take. */
final class Neighbour {
    private static final int COMMANDS = 1_000;

    private final HttpDoor door;
    private final String name;

    Neighbour(HttpDoor door, String name) {
        this.door = door;
        this.name = name;
    }

    /** Of a thousand commands one after the other, each of which must succeed. */
    record Latency(long p50Micros, long p99Micros, long mostMicros) {
        @Override
        public String toString() {
            return "p50 " + p50Micros / 1000.0 + " ms, p99 " + p99Micros / 1000.0 + " ms, most " + mostMicros / 1000.0
                    + " ms";
        }
    }

    Latency measure() throws Exception {
        long[] micros = new long[COMMANDS];
        for (int i = 0; i < COMMANDS; i++) {
            long begun = System.nanoTime();
            HttpDoor.Answer answer = door.post("/sandboxes/" + name + "/exec", "{\"session\":{\"argv\":[\"true\"]}}");
            micros[i] = (System.nanoTime() - begun) / 1_000;
            assertThat(answer.body()).contains("\"status\":0");
        }
        Arrays.sort(micros);
        return new Latency(micros[COMMANDS / 2], micros[COMMANDS * 99 / 100], micros[COMMANDS - 1]);
    }
}
