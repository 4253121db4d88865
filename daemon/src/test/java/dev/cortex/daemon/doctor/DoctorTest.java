package dev.cortex.daemon.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.daemon.doctor.Report.DaemonState;
import dev.cortex.protocol.api.Daemon;
import dev.cortex.protocol.api.Daemon.DriverReadiness;
import dev.cortex.protocol.api.Daemon.Missing;
import dev.cortex.protocol.api.Prune;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

final class DoctorTest {
    private static final Machine MACHINE = new Machine("Linux 6.18", "x86_64", 2, 23L << 30 | 500L << 20, "hybrid");

    private static final Capacity CAPACITY = Capacity.of(
            HostLimits.of(Map.of("kernel.pid_max", 32_768L, "threads now", 768L, "memory available", 9L << 30)),
            Footprint.PROMISED,
            false);

    private static final Report READY = new Report(
            MACHINE,
            Optional.of(new DaemonState(4121, 7_200_000, 81L << 20, Optional.of("3100"))),
            new Daemon.Readiness(List.of(new DriverReadiness("oci", "crun", "ready", "", true, List.of())), "oci/crun"),
            List.of(),
            List.of(),
            CAPACITY);

    private static final Report MISSING = new Report(
            MACHINE,
            Optional.empty(),
            new Daemon.Readiness(
                    List.of(
                            new DriverReadiness(
                                    "oci",
                                    "",
                                    "missing",
                                    "",
                                    false,
                                    List.of(
                                            new Missing("crun is missing", "apt-get install -y crun", true),
                                            new Missing(
                                                    "no user namespaces", "sysctl user.max_user_namespaces=1", false))),
                            new DriverReadiness("process", "", "ready", "no isolation", false, List.of())),
                    ""),
            List.of(new Prune.Orphan(
                    "sb_01kb8q5v3mfxw4s6y2r9t7c1ah", List.of("run folder /run/x", "process 7", "process 8"))),
            List.of("a note"),
            CAPACITY);

    @Test
    void aReadyMachineIsAPageOfAFewLines() {
        assertThat(Page.of(READY)).isEqualTo("""
                        machine   Linux 6.18 x86_64, 2 cores, 24 GiB, cgroup hybrid
                        daemon    pid 4121, up 2 h, 81 MiB, http://127.0.0.1:3100
                        drivers
                          oci/crun         ready     chosen by auto
                        notes
                          capacity: about 1,024 sandboxes; the next limit is memory available
                        """);
        assertThat(READY.ready()).isTrue();
    }

    @Test
    void whatIsMissingStandsWithItsFixAndOnlyPackagesAreFixedForAUser() {
        assertThat(Page.of(MISSING)).isEqualTo("""
                        machine   Linux 6.18 x86_64, 2 cores, 24 GiB, cgroup hybrid
                        daemon    none runs; the first command starts it
                        drivers
                          oci              –         crun is missing
                                                     fix: apt-get install -y crun
                                                     no user namespaces
                                                     fix: sysctl user.max_user_namespaces=1
                          process          ready     no isolation
                        orphans
                          sb_01kb8q5v3mfxw4s6y2r9t7c1ah  2 processes, 1 other things
                          no record knows them; see what would go: cortex prune
                        notes
                          a note
                          capacity: about 1,024 sandboxes; the next limit is memory available
                        """);
        assertThat(MISSING.ready()).isFalse();
        assertThat(MISSING.fixes()).containsExactly("apt-get install -y crun");
    }

    @Test
    void ofRuntimesThatStandForEachOtherOneIsInstalled() {
        DriverReadiness runsc = missing("runsc", "gVisor is missing", "cortex doctor --fix", false);
        DriverReadiness crun = missing("crun", "crun is missing", "apt-get install -y crun", true);
        DriverReadiness runc = missing("runc", "runc is missing", "apt-get install -y runc", true);
        DriverReadiness ready = new DriverReadiness("oci", "crun", "ready", "", true, List.of());
        assertThat(report(runsc, crun, runc).fixes()).containsExactly("apt-get install -y crun");
        assertThat(report(runsc, ready, runc).fixes()).isEmpty();
    }

    @Test
    void aRuntimeThatPackagesMakeReadyGoesBeforeOneThatTheyDoNot() {
        Missing newuidmap = new Missing("newuidmap is missing", "sudo apt-get install -y uidmap", true);
        Missing root = new Missing("gVisor is used by a daemon of root only", "run the daemon as root", false);
        Missing crun = new Missing("crun is missing", "sudo apt-get install -y crun", true);
        assertThat(report(
                                new DriverReadiness("oci", "runsc", "missing", "", false, List.of(root, newuidmap)),
                                new DriverReadiness("oci", "crun", "missing", "", false, List.of(crun, newuidmap)))
                        .fixes())
                .containsExactly("sudo apt-get install -y crun", "sudo apt-get install -y uidmap");
    }

    @Test
    void gitIsMissedOnlyWhereItIsMissing(@TempDir Path folder) throws Exception {
        assertThat(Examination.git("/none:" + folder, true))
                .hasValueSatisfying(
                        note -> assertThat(note).endsWith("fix: apt-get install -y --no-install-recommends git"));
        assertThat(Examination.git("/none", false).orElseThrow()).contains("fix: su -c 'apt-get install");
        Files.createFile(folder.resolve("sudo"), EXECUTABLE);
        assertThat(Examination.git(folder.toString(), false).orElseThrow()).contains("fix: sudo apt-get install");
        Files.createFile(folder.resolve("git"), EXECUTABLE);
        assertThat(Examination.git("/none:" + folder, true)).isEmpty();
    }

    @Test
    void gvisorIsBuiltWhereItIsMissingAndGoIsThere(@TempDir Path folder) throws Exception {
        Path dev = Files.createFile(folder.resolve("dev"), EXECUTABLE);
        Files.createFile(folder.resolve("go"), EXECUTABLE);
        Daemon.Readiness without = report(missing("runsc", "gVisor is missing", "cortex doctor --fix", false))
                .readiness();
        Path tools = folder.resolve("home/tools");
        Gvisor gvisor = new Gvisor(dev, tools, "/none:" + folder);
        assertThat(gvisor.fix(without)).contains(dev + " gvisor " + tools);
        assertThat(gvisor.advice(without)).isEmpty();
        assertThat(gvisor.fix(READY.readiness())).isEmpty();
        assertThat(new Gvisor(folder.resolve("none"), tools, folder.toString()).advice(without))
                .hasValueSatisfying(advice -> assertThat(advice).contains(tools.toString()));
    }

    private static final FileAttribute<Set<PosixFilePermission>> EXECUTABLE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static DriverReadiness missing(String runtime, String what, String fix, boolean fixable) {
        return new DriverReadiness("oci", runtime, "missing", "", false, List.of(new Missing(what, fix, fixable)));
    }

    private static Report report(DriverReadiness... drivers) {
        return new Report(
                MACHINE, Optional.empty(), new Daemon.Readiness(List.of(drivers), ""), List.of(), List.of(), CAPACITY);
    }

    @Test
    void eachLimitThatStandsInTheWayIsNamedWithItsFixTheTightestFirst() {
        Capacity capacity = Capacity.of(
                HostLimits.of(Map.of(
                        "kernel.pid_max", 32_768L,
                        "threads now", 768L,
                        "user.max_user_namespaces", 50L,
                        "memory available", 9L << 30)),
                Footprint.PROMISED,
                true);
        assertThat(capacity.sandboxes()).isEqualTo(50);
        assertThat(capacity.against(50)).isEmpty();
        assertThat(capacity.against(2_000).stream().map(Capacity.Bound::limit))
                .containsExactly("user.max_user_namespaces", "memory available");
        assertThat(Page.capacity(capacity, 2_000))
                .contains("2,000 sandboxes: these limits stand in the way")
                .contains("fix: sysctl -w user.max_user_namespaces=100000");
        assertThat(Page.capacity(capacity, 10)).contains("10 sandboxes: nothing of this machine stands in the way");
    }

    @Test
    void whatThisMachineHasIsRead() {
        Capacity here = Examination.capacity(dev.cortex.protocol.home.Home.at(Path.of("/tmp/no-such-home")));
        assertThat(here.bounds().stream().map(Capacity.Bound::limit))
                .contains("kernel.pid_max", "kernel.threads-max", "memory available", "disk available");
        assertThat(here.sandboxes()).isPositive();
    }

    @Test
    void jsonIsTheSameInTheEnvelopeOfEveryCommand() {
        var json = JsonMapper.shared().readTree(MISSING.json());
        assertThat(json.get("schema_version").asInt()).isEqualTo(1);
        assertThat(json.get("kind").asString()).isEqualTo("doctor");
        assertThat(json.get("data").get("machine").get("memory_bytes").asLong()).isEqualTo(MACHINE.memoryBytes());
        assertThat(json.get("data").has("daemon")).isFalse();
        assertThat(json.get("data")
                        .get("readiness")
                        .get("drivers")
                        .get(0)
                        .get("missing")
                        .get(0)
                        .get("fix")
                        .asString())
                .isEqualTo("apt-get install -y crun");
    }

    @Test
    void fixesAreRunAndSaidAndAFailureIsNoSuccess() throws Exception {
        ByteArrayOutputStream words = new ByteArrayOutputStream();
        Fixing fixing = new Fixing(new PrintStream(words, true, StandardCharsets.UTF_8));
        assertThat(fixing.run(List.of("true"))).isTrue();
        assertThat(words.toString(StandardCharsets.UTF_8)).contains("running: true", "done");
        assertThat(fixing.run(List.of("true", "false"))).isFalse();
        assertThat(words.toString(StandardCharsets.UTF_8)).contains("it failed");
    }

    @Test
    void packageListsAreRefreshedByWhoeverInstalls() {
        assertThat(Fixing.refresh("sudo apt-get install -y crun")).isEqualTo("sudo apt-get update");
        assertThat(Fixing.refresh("apt-get install -y crun")).isEqualTo("apt-get update");
    }

    @Test
    void agesAndSizesAreForPeople() {
        assertThat(Page.age(Duration.ofSeconds(59))).isEqualTo("59 s");
        assertThat(Page.age(Duration.ofSeconds(61))).isEqualTo("1 min");
        assertThat(Page.age(Duration.ofDays(3))).isEqualTo("3 d");
        assertThat(Page.size(300L << 20)).isEqualTo("300 MiB");
    }
}
