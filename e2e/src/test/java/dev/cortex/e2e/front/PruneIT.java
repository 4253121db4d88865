package dev.cortex.e2e.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cortex prune}: what no record knows is found, shown and removed; everything else stays. */
final class PruneIT {
    private static final String STRANGE = "sb_01kb8q5v3mfxw4s6y2r9t7c1ah";

    @ParameterizedTest
    @ValueSource(strings = {"oci", "process"})
    void aSandboxWhoseRecordIsLostIsRemovedWholeAndNothingOfAnother(String driver) throws Exception {
        try (CortexHome neighbour = CortexHome.open();
                CortexHome cortex = CortexHome.open().with("CORTEX_ALLOW_INSECURE_PROCESS", "1")) {
            neighbour.cortex("create", "n").succeeded();
            neighbour.cortex("exec", "n", "--detach", "--", "sleep", "1000").succeeded();
            cortex.cortex("create", "stays", "--driver", driver).succeeded();
            cortex.cortex("create", "lost", "--driver", driver).succeeded();
            cortex.cortex("exec", "lost", "--detach", "--", "sh", "-c", "setsid sleep 1001 & sleep 1001")
                    .succeeded();
            String id = id(cortex, "lost");
            loseRecord(cortex, "lost");

            CortexHome.Outcome dry = cortex.cortex("prune").succeeded();
            assertThat(dry.stdout())
                    .contains("would go  " + id)
                    .contains("process ")
                    .doesNotContain(id(cortex, "stays"));
            assertThat(dry.stdout()).contains("kept  disk lost");
            assertThat(dry.stderr()).contains("nothing was changed");
            assertThat(traces(cortex, id)).isNotEmpty();
            CortexHome.Outcome doctor = cortex.cortex("doctor");
            assertThat(doctor.stdout()).contains("orphans").contains("cortex prune");

            cortex.cortex("prune", "--apply").succeeded();
            assertThat(cortex.cortex("prune").succeeded().stdout()).doesNotContain(id);
            assertThat(traces(cortex, id)).isEmpty();
            assertThat(running("1001")).isZero();

            assertThat(cortex.cortex("exec", "stays", "--", "echo", "here")
                            .succeeded()
                            .stdout())
                    .isEqualTo("here\n");
            assertThat(neighbour
                            .cortex("exec", "n", "--", "echo", "here")
                            .succeeded()
                            .stdout())
                    .isEqualTo("here\n");
            assertThat(cortex.cortex("create", "lost", "--driver", driver).status())
                    .as("the disk is still the name's")
                    .isZero();
        }
    }

    /** The daemon and its client die in the middle of a create, and a power cut takes the record as well. */
    @ParameterizedTest
    @ValueSource(ints = {0, 40, 120})
    void aCreateThatWasCutOffAndForgottenLeavesNothing(int milliseconds) throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "stays").succeeded();
            String stays = id(cortex, "stays");
            Path runs = run(stays).getParent();
            Process client = cortex.start(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()),
                    cortex.folder().resolve("out"),
                    cortex.folder().resolve("err"),
                    "create",
                    "cut");
            CortexHome.await(() -> folders(runs).size() > 1, "the first of it outside");
            Thread.sleep(milliseconds);
            client.destroyForcibly().waitFor();
            cortex.killDaemon();
            String cut = folders(runs).stream()
                    .filter(id -> !id.equals(stays))
                    .findFirst()
                    .orElseThrow();
            sql(cortex, "delete from sandbox where name='cut'");
            sql(cortex, "delete from intent where sandbox='" + cut + "'");

            assertThat(cortex.cortex("prune").succeeded().stdout())
                    .contains(cut)
                    .doesNotContain(stays);
            cortex.cortex("prune", "--apply", "--disks").succeeded();
            assertThat(traces(cortex, cut)).isEmpty();
            cortex.cortex("exec", "stays", "--", "true").succeeded();
            cortex.cortex("create", "cut").succeeded();
        }
    }

    @Test
    void aDiskThatCannotBeMeasuredIsShownBesideTheOthers() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            for (String name : List.of("known", "strange")) {
                cortex.cortex("create", name).succeeded();
                cortex.cortex("rm", "--force", name).succeeded();
            }
            cortex.killDaemon();
            sql(cortex, "update disk set document = json_set(document, '$.driver', 'gone') where name='strange'");
            assertThat(cortex.cortex("prune").succeeded().stdout())
                    .contains("disk strange  of unknown size")
                    .containsPattern("disk known  [0-9]");
        }
    }

    @Test
    void foldersWithoutARecordGoAndWhatIsNotOursStays() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "a").succeeded();
            Path sandboxes = cortex.home().resolve("sandboxes");
            Path orphan = Files.createDirectories(sandboxes.resolve(STRANGE).resolve("deep"));
            Files.writeString(orphan.resolve("file"), "x");
            Path disk = Files.createDirectories(cortex.home().resolve("disks").resolve(STRANGE));
            Path notes = Files.createDirectories(sandboxes.resolve("notes"));
            Path outside = Files.createDirectories(cortex.folder().resolve("outside"));
            Path link = Files.createSymbolicLink(sandboxes.resolve("sb_01kb8q5v3mfxw4s6y2r9t7c1aj"), outside);

            cortex.cortex("prune", "--apply").succeeded();
            assertThat(sandboxes.resolve(STRANGE)).doesNotExist();
            assertThat(disk).as("a disk goes only when it is asked for").exists();
            assertThat(List.of(notes, outside)).allMatch(Files::isDirectory);
            assertThat(Files.isSymbolicLink(link)).isTrue();

            cortex.cortex("prune", "--apply", "--disks").succeeded();
            assertThat(disk).doesNotExist();
            assertThat(cortex.cortex("exec", "a", "--", "echo", "here")
                            .succeeded()
                            .stdout())
                    .isEqualTo("here\n");
        }
    }

    @Test
    void aDiskThatIsKeptForItsNameGoesOnlyWhenAskedFor() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "kept").succeeded();
            cortex.cortex("rm", "--force", "kept").succeeded();
            assertThat(cortex.cortex("prune", "--apply").succeeded().stdout()).contains("kept  disk kept");
            assertThat(cortex.cortex("ls", "--all").stdout()).contains("kept");
            cortex.cortex("prune", "--apply", "--disks").succeeded();
            assertThat(cortex.cortex("ls", "--all").stdout()).doesNotContain("kept");
        }
    }

    @Test
    void createsInProgressAreNeverTakenForOrphans() throws Exception {
        try (CortexHome cortex = CortexHome.open()) {
            cortex.cortex("create", "first").succeeded();
            CompletableFuture<CortexHome.Outcome> creates = CompletableFuture.supplyAsync(() -> {
                try {
                    return cortex.shell("for i in $(seq 8); do cortex create c$i || exit 1; done");
                } catch (IOException | InterruptedException e) {
                    throw new CompletionException(e);
                }
            });
            while (!creates.isDone()) {
                assertThat(cortex.cortex("prune", "--apply").succeeded().stdout())
                        .doesNotContain("removed");
            }
            creates.get().succeeded();
            for (int i = 1; i <= 8; i++) {
                cortex.cortex("exec", "c" + i, "--", "true").succeeded();
            }
        }
    }

    private static String id(CortexHome cortex, String name) throws Exception {
        Matcher id = Pattern.compile("\"id\":\"(sb_\\w+)\"")
                .matcher(cortex.cortex("inspect", name, "--json").succeeded().stdout());
        assertThat(id.find()).isTrue();
        return id.group(1);
    }

    /** As a power cut may lose the last transactions. */
    private static void loseRecord(CortexHome cortex, String name) throws Exception {
        cortex.cortex("serve", "--stop").succeeded();
        sql(cortex, "delete from sandbox where name='" + name + "'");
    }

    private static void sql(CortexHome cortex, String statement) throws Exception {
        String script = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
        int status = new ProcessBuilder(
                        "python3",
                        "-c",
                        script,
                        cortex.home().resolve("cortex.db").toString(),
                        statement)
                .inheritIO()
                .start()
                .waitFor();
        assertThat(status).isZero();
    }

    private static Path run(String id) throws IOException {
        try (Stream<Path> found = Files.find(Path.of("/run/cortex"), 2, (path, any) -> path.endsWith(id))) {
            return found.findFirst().orElseThrow();
        }
    }

    private static List<String> folders(Path runs) throws IOException {
        try (Stream<Path> found = Files.list(runs)) {
            return found.map(path -> path.getFileName().toString())
                    .filter(name -> name.startsWith("sb_"))
                    .toList();
        }
    }

    private static List<String> traces(CortexHome cortex, String id) throws Exception {
        List<String> traces = new java.util.ArrayList<>(
                cortex.leftovers().stream().filter(line -> line.contains(id)).toList());
        for (String place : List.of(
                "/sys/fs/cgroup",
                "/run/cortex",
                cortex.home().resolve("sandboxes").toString())) {
            try (Stream<Path> found = Files.find(Path.of(place), 4, (path, any) -> path.endsWith(id))) {
                found.map(Path::toString).forEach(traces::add);
            }
        }
        return traces;
    }

    private static long running(String seconds) {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").endsWith("sleep " + seconds))
                .count();
    }
}
