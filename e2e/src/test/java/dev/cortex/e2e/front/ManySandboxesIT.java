package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.protocol.home.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many sandboxes at once: nothing of theirs is lost, and nothing of them is left. */
final class ManySandboxesIT {
    /** Creates at once; two cores gain nothing from more. */
    private static final int LANES = 8;

    private static final int LINES = 1_200;

    @Test
    void aKilledDaemonLosesNoLineOfAHundredSessions() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("ls").succeeded();
            HttpDoor door = HttpDoor.to(cortex);
            List<String> names = names(100);
            each(names, name -> create(door, name));
            Home home = Home.at(cortex.home());
            List<Follower> followers = new ArrayList<>();
            for (String name : names) {
                followers.add(new Follower(home, name, print(door, name)));
            }
            List<Thread> threads = followers.stream()
                    .map(follower -> Thread.ofVirtual().start(follower))
                    .toList();
            CortexHome.await(() -> followers.stream().allMatch(f -> f.bytes() > 300), "some lines of each");

            cortex.killDaemon();
            long killed = System.nanoTime();
            cortex.cortex("ls").succeeded();
            System.out.println("100 sandboxes: ls answered "
                    + Duration.ofNanos(System.nanoTime() - killed).toMillis() + " ms after the kill -9");

            for (Thread thread : threads) {
                thread.join();
            }
            String whole =
                    IntStream.rangeClosed(1, LINES).mapToObj(i -> i + "\n").collect(Collectors.joining());
            for (Follower follower : followers) {
                assertThat(follower.end().map(exit -> exit.code())).contains(0);
                assertThat(follower.output()).isEqualTo(whole);
                assertThat(follower.timesAttached()).isGreaterThan(1);
            }
        }
    }

    @Test
    @Tag("slow")
    void aThousandIdleSandboxesFitOnThisMachineAndLeaveNothing() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("ls").succeeded();
            HttpDoor door = HttpDoor.to(cortex);
            List<String> names = names(1_000);
            long begun = System.nanoTime();
            each(names, name -> create(door, name));
            Duration creating = Duration.ofNanos(System.nanoTime() - begun);

            // A start leaves threads behind that are given back within ten seconds.
            CortexHome.await(() -> Neurons.of(cortex).threads() <= 12, "idle neurons to have twelve threads at most");
            Neurons settled = Neurons.of(cortex);
            System.out.println("1,000 sandboxes: created in " + creating.toMillis() + " ms; private dirty memory of a"
                    + " neuron: median " + settled.median() / 1024 + " KiB, most " + settled.most() / 1024
                    + " KiB; daemon " + memory(cortex.daemonPid()) / 1024 / 1024 + " MiB; most threads of a neuron: "
                    + settled.threads());
            assertThat(settled.count()).isEqualTo(1_000);
            assertThat(settled.threads()).isLessThanOrEqualTo(12);
            assertThat(settled.most()).isLessThanOrEqualTo(8L << 20);

            List<String> ids = children(cortex.home().resolve("sandboxes"));
            assertThat(controlGroups(ids)).hasSize(1_000);
            begun = System.nanoTime();
            each(
                    names,
                    name -> assertThat(door.delete("/sandboxes/" + name + "?force=true&wipe=true")
                                    .status())
                            .isEqualTo(200));
            System.out.println("1,000 sandboxes: removed in "
                    + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
            assertThat(neurons(cortex)).isEmpty();
            assertThat(children(cortex.home().resolve("disks"))).isEmpty();
            assertThat(children(cortex.home().resolve("sandboxes"))).isEmpty();
            assertThat(controlGroups(ids)).isEmpty();
            assertThat(runFolders(ids)).as("sockets").isEmpty();
            assertThat(door.get("/sandboxes").body()).as("records").contains("\"sandboxes\":[]");
            assertThat(cortex.cortex("prune").succeeded().stdout()).isEqualTo("nothing to remove\n");
        }
    }

    // ---- many at once

    private interface Step {
        void on(String name) throws Exception;
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "n" + i).toList();
    }

    private static void each(List<String> names, Step step) throws InterruptedException, ExecutionException {
        try (ExecutorService lanes = Executors.newFixedThreadPool(LANES)) {
            List<Future<Void>> all = names.stream()
                    .map(name -> lanes.submit(() -> {
                        step.on(name);
                        return (Void) null;
                    }))
                    .toList();
            for (Future<Void> one : all) {
                one.get();
            }
        }
    }

    private static void create(HttpDoor door, String name) throws IOException, InterruptedException {
        HttpDoor.Answer answer =
                door.post("/sandboxes", "{\"name\":\"" + name + "\",\"driver\":\"oci\",\"runtime\":\"crun\"}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    /** Starts a session that prints a hundred numbered lines a second; answers its id. */
    private static String print(HttpDoor door, String name) throws IOException, InterruptedException {
        String id = "s_" + "0".repeat(16 - name.length()) + name;
        String program =
                "$| = 1; for my $i (1 .. " + LINES + ") { print $i . chr(10); select(undef, undef, undef, 0.01) }";
        HttpDoor.Answer answer = door.post(
                "/sandboxes/" + name + "/sessions",
                "{\"id\":\"" + id + "\",\"argv\":[\"perl\",\"-e\",\"" + program + "\"]}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return id;
    }

    // ---- what the machine says of them

    /** What the neurons of a home take. */
    private record Neurons(int count, long median, long most, long threads) {
        static Neurons of(CortexHome cortex) throws IOException {
            List<Path> neurons = neurons(cortex);
            List<Long> memory = new ArrayList<>();
            long threads = 0;
            for (Path neuron : neurons) {
                memory.add(memory(Long.parseLong(neuron.getFileName().toString())));
                threads = Math.max(threads, children(neuron.resolve("task")).size());
            }
            memory.sort(null);
            return new Neurons(memory.size(), memory.get(memory.size() / 2), memory.getLast(), threads);
        }
    }

    /** Folders in /proc of the first processes of this home's sandboxes. */
    private static List<Path> neurons(CortexHome cortex) throws IOException {
        List<String> ids = children(cortex.home().resolve("sandboxes"));
        List<Path> found = new ArrayList<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process : processes
                    .filter(p -> p.getFileName().toString().matches("\\d+"))
                    .toList()) {
                String line = text(process.resolve("cmdline"));
                String groups = text(process.resolve("cgroup"));
                if (line.startsWith("/run/cortex/neuron") && ids.stream().anyMatch(groups::contains)) {
                    found.add(process);
                }
            }
        }
        return found;
    }

    /** Of those sandboxes, in the first hierarchy of either layout. */
    private static List<Path> controlGroups(List<String> ids) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path hierarchy : List.of(Path.of("/sys/fs/cgroup"), Path.of("/sys/fs/cgroup/memory"))) {
            for (String home : children(hierarchy)) {
                if (home.startsWith("cortex-")) {
                    children(hierarchy.resolve(home)).stream()
                            .filter(ids::contains)
                            .forEach(id -> found.add(hierarchy.resolve(home).resolve(id)));
                }
            }
        }
        return found;
    }

    /** Where sockets, bundles and process ids of those sandboxes lie. */
    private static List<Path> runFolders(List<String> ids) throws IOException {
        try (Stream<Path> found = Files.find(
                Path.of("/run/cortex"), 2, (path, any) -> ids.contains(String.valueOf(path.getFileName())))) {
            return found.toList();
        }
    }

    private static List<String> children(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }

    /** Private dirty bytes. */
    private static long memory(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup")).stream()
                .filter(line -> line.startsWith("Private_Dirty:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException gone) {
            return "";
        }
    }
}
