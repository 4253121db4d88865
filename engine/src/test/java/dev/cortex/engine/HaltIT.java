package dev.cortex.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.drivers.launch.Mark;
import dev.cortex.protocol.api.Lifecycle;
import dev.cortex.protocol.operation.Operations;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.State;
import dev.cortex.sandbox.service.Boundary;
import dev.cortex.sandbox.store.SandboxRow;
import dev.cortex.sandbox.store.SpareRow;
import dev.cortex.storage.SqliteStore;
import dev.cortex.testkit.driver.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process that owns a home ends as by kill -9 at each step that an operation crosses, with real sandboxes: the next one
 * finds every record legal and nothing that no record knows, and the operation can be made again. {@code CrashTest} does
 * the same over a fake machine. Steps are not listed: they are those that the operation crosses when it is let be.
 */
final class HaltIT {
    private static final String GVISOR = "oci/runsc";

    @ParameterizedTest
    @EnumSource(HaltedOperation.class)
    void onCrunTheNextOwnerFinishesWhatTheLastOneBegan(HaltedOperation operation) throws Exception {
        haltEverywhere("oci/crun", operation);
    }

    /** What differs from oci: processes without a group, paused by signals. */
    @ParameterizedTest
    @EnumSource(
            value = HaltedOperation.class,
            names = {"CREATE", "PAUSE", "RESUME", "FORCE_PAUSED"})
    void onPlainProcessesToo(HaltedOperation operation) throws Exception {
        haltEverywhere("process", operation);
    }

    static Stream<Arguments> otherRuntimes() {
        return Stream.of("oci/runc", GVISOR)
                .flatMap(driver -> Stream.of(HaltedOperation.values())
                        // The pool fills itself with what a create without any wish gets: crun here. Nothing is
                        // prepared on gVisor.
                        .filter(operation -> !operation.isOfSpares())
                        .map(operation -> Arguments.of(driver, operation)));
    }

    @ParameterizedTest
    @MethodSource("otherRuntimes")
    @Tag("slow")
    void onOtherRuntimesToo(String driver, HaltedOperation operation) throws Exception {
        haltEverywhere(driver, operation);
    }

    private static void haltEverywhere(String driver, HaltedOperation operation) throws Exception {
        // Where gVisor is at hand it is what a create without any wish gets.
        try (TestHome home = driver.equals(GVISOR) ? new TestHome().withTools() : new TestHome()) {
            Set<Boundary> steps = Collections.synchronizedSet(new LinkedHashSet<>());
            boolean[] counting = {operation.isOfSpares()};
            Cortex recording = home.open(operation.options(home.home()).with(step -> {
                if (counting[0]) {
                    steps.add(step);
                }
            }));
            operation.prepare(recording, driver);
            counting[0] = true;
            operation.make(recording, driver);
            counting[0] = false;
            wipe(recording);
            recording.sandboxes().spares().drain();
            assertThat(steps).isNotEmpty();
            for (Boundary step : steps) {
                Set<SandboxId> ids = new HashSet<>();
                Cortex owner = home.reopen();
                operation.prepare(owner, driver);
                ids.addAll(ids(owner));
                owner.close();
                assertThat(halt(home, step, operation, driver)).as(step.word()).isEqualTo(CrashPoint.STATUS);
                ids.addAll(spares(home));
                Cortex next = home.reopen();
                assertThat(spares(home)).as("spares").isEmpty();
                ids.addAll(ids(next));
                check(home, next, ids, step.word());
                operation.again(next, driver);
                ids.addAll(ids(next));
                check(home, next, ids, step.word() + ", made again");
                wipe(next);
                ids.addAll(ids(next));
                check(home, next, ids, step.word() + ", removed");
            }
        }
    }

    private static Set<SandboxId> spares(TestHome home) {
        try (SqliteStore store = SqliteStore.look(home.home().database()).orElseThrow()) {
            return store.spares().all().stream().map(SpareRow::id).collect(Collectors.toSet());
        }
    }

    private static Set<SandboxId> ids(Cortex cortex) {
        Set<SandboxId> ids = new HashSet<>();
        cortex.sandboxes().list("", 9).forEach(row -> ids.add(row.id()));
        return ids;
    }

    private static void wipe(Cortex cortex) {
        cortex.sandboxes().list("", 9).forEach(row -> cortex.sandboxes().remove(row.name(), true, true));
        Lifecycle.SandboxList kept = cortex.call(Operations.LIST, Map.of(), Map.of("all", "true"), Optional.empty());
        kept.disks().forEach(disk -> cortex.sandboxes().remove(disk.name(), false, true));
    }

    /** Records, processes, control groups, mounts and folders agree. */
    private static void check(TestHome home, Cortex cortex, Set<SandboxId> ever, String when) throws IOException {
        List<SandboxRow> rows = cortex.sandboxes().list("", 9);
        assertThat(rows).as(when).extracting(SandboxRow::state).doesNotContain(State.ERROR);
        Set<SandboxId> up = new HashSet<>();
        rows.stream()
                .filter(row -> row.state() == State.RUNNING || row.state() == State.PAUSED)
                .forEach(row -> up.add(row.id()));
        for (SandboxId id : ever) {
            if (up.contains(id)) {
                // What runs on gVisor's kernel bears no mark of the host's, but is held by its group.
                List<String> found = new ArrayList<>(Leftovers.processes(Mark.of(id)));
                found.addAll(Leftovers.controlGroups(id.value()));
                assertThat(found).as(when).isNotEmpty();
            } else {
                assertThat(Leftovers.processes(Mark.of(id))).as(when).isEmpty();
                assertThat(Leftovers.controlGroups(id.value())).as(when).isEmpty();
            }
        }
        assertThat(Leftovers.mounts(home.home().folder())).as(when).isEmpty();
        assertThat(names(home.home().runFolder())).as(when + ": run folders").isEqualTo(texts(up));
        Set<SandboxId> all = new HashSet<>();
        rows.forEach(row -> all.add(row.id()));
        assertThat(texts(all))
                .as(when + ": folders")
                .containsAll(names(home.home().folder().resolve("sandboxes")));
        List<String> disks = new ArrayList<>();
        rows.forEach(row -> cortex.sandboxes().disk(row).ifPresent(disk -> disks.add(disk.folder())));
        cortex.sandboxes().keptDisks().forEach(disk -> disks.add(disk.folder()));
        assertThat(disks)
                .as(when + ": disks")
                .containsAll(names(home.home().folder().resolve("disks")));
    }

    private static Set<String> texts(Set<SandboxId> ids) {
        Set<String> texts = new HashSet<>();
        ids.forEach(id -> texts.add(id.value()));
        return texts;
    }

    private static Set<String> names(Path folder) throws IOException {
        Set<String> names = new HashSet<>();
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.list(folder)) {
                all.map(path -> path.getFileName().toString())
                        .filter(name -> name.startsWith("sb_"))
                        .forEach(names::add);
            }
        }
        return names;
    }

    private static int halt(TestHome home, Boundary step, HaltedOperation operation, String driver) throws Exception {
        ProcessBuilder child = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        // It lives for a second: quick to start is all that counts.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-D" + CrashPoint.PROPERTY + "=true",
                        "-Dcortex.install=" + System.getProperty("cortex.install"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        HaltingMain.class.getName(),
                        home.home().folder().toString(),
                        home.home().runFolder().toString(),
                        operation.name(),
                        driver)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        child.environment().put(CrashPoint.VARIABLE, step.word());
        return child.start().waitFor();
    }
}
