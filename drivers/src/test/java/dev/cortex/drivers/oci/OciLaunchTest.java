package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cortex.drivers.launch.DiskSpec;
import dev.cortex.drivers.launch.FirstProcess;
import dev.cortex.drivers.launch.IdMapping;
import dev.cortex.drivers.launch.LaunchSpec;
import dev.cortex.drivers.launch.Mark;
import dev.cortex.drivers.launch.Mount;
import dev.cortex.drivers.launch.Probed;
import dev.cortex.drivers.launch.SocketFile;
import dev.cortex.drivers.launch.StopSpec;
import dev.cortex.protocol.error.CortexException;
import dev.cortex.protocol.error.ErrorCode;
import dev.cortex.sandbox.Limits;
import dev.cortex.sandbox.SandboxId;
import dev.cortex.sandbox.driver.Handle;
import dev.cortex.sandbox.driver.StartRequest;
import dev.cortex.sandbox.driver.StopRequest;
import dev.cortex.sandbox.image.Image;
import dev.cortex.sandbox.terms.LiveMount;
import dev.cortex.sandbox.terms.Terms;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class OciLaunchTest {
    private static final SandboxId ID = new SandboxId("sb_01kb8q5v3mfxw4s6y2r9t7c1ah");
    private static final UUID HOME = UUID.fromString("1f2e3d4c-0000-4000-8000-000000000000");
    private static final Path ETC = Path.of("/h/sandboxes/x/etc-layer");
    private static final Probed.Cgroups ALL = new Probed.Cgroups("v2", List.of("memory", "pids", "cpu", "freezer"));
    private static final Image.Root HOST =
            new Image.Root.Host(Path.of("/h/images/host/1"), List.of(Path.of("/usr"), Path.of("/lib64")));

    private static StartRequest request(Image.Root root, Limits limits) {
        return new StartRequest(
                ID,
                Optional.of("api"),
                HOME,
                3,
                Optional.empty(),
                new Image("host", Optional.empty(), root, Image.Config.NONE),
                limits,
                Terms.DEFAULT,
                Path.of("/h/disks/api"),
                Path.of("/run/c/x"),
                Path.of("/h/sandboxes/x"));
    }

    private static LaunchSpec start(Image.Root root, Limits limits, Rights rights, Probed.Cgroups cgroups) {
        return OciLaunch.start(
                request(root, limits),
                new OciLaunch.Surroundings(
                        OciRuntime.CRUN,
                        "/usr/bin/crun",
                        rights,
                        cgroups,
                        Path.of("/opt/neuron"),
                        SeccompProfile.of(dev.cortex.sandbox.terms.Rights.Seccomp.DEFAULT, OciRuntime.CRUN),
                        new DiskSpec("/h/disks/api", true, limits.diskBytes(), List.of("shown/usr"))),
                ETC);
    }

    private static JsonNode config(Rights rights) {
        return start(HOST, Limits.DEFAULT, rights, ALL).config().orElseThrow();
    }

    @Test
    void asRootTheBaseIsShownThroughAMappingWithTheDiskAboveIt() {
        LaunchSpec spec = start(HOST, Limits.DEFAULT, Rights.root(1_900_000_000L), ALL);
        assertThat(spec.mounts())
                .startsWith(
                        new Mount.Overlay(
                                List.of(ETC.toString(), "/h/images/host/1"),
                                Optional.of("/h/disks/api/upper"),
                                Optional.of("/h/disks/api/work"),
                                "/",
                                true,
                                true,
                                false),
                        new Mount.Overlay(
                                List.of("/usr"),
                                Optional.of("/h/disks/api/shown/usr/upper"),
                                Optional.of("/h/disks/api/shown/usr/work"),
                                "/usr",
                                true,
                                true,
                                false));
        assertThat(spec.idmap()).contains(IdMapping.of(1_900_000_000L, 65_536));
        assertThat(spec.rootless()).isEmpty();
    }

    @Test
    void rootlessTheMachinesFoldersAreReadOnlyAndTheNamespaceIsTheLaunchers() {
        LaunchSpec spec = start(HOST, Limits.DEFAULT, Rights.ROOTLESS, new Probed.Cgroups("hybrid", List.of()));
        assertThat(spec.mounts()).contains(new Mount.Bind("/usr", "/usr", true, false, true, false, false));
        assertThat((Mount.Overlay) spec.mounts().getFirst()).satisfies(root -> {
            assertThat(root.userxattr()).isTrue();
            assertThat(root.idmapLowers() || root.idmapUpper()).isFalse();
        });
        assertThat(spec.idmap()).isEmpty();
        assertThat(spec.rootless()).contains(IdMapping.SUBORDINATE);
        assertThat(spec.cgroup()).isEmpty();
        assertThat(spec.config().orElseThrow().at("/linux/uidMappings").toString())
                .isEqualTo("[{\"containerID\":0,\"hostID\":0,\"size\":1},"
                        + "{\"containerID\":1,\"hostID\":1,\"size\":65535}]");
    }

    @Test
    void aFolderIsTheWholeBase() {
        LaunchSpec spec =
                start(new Image.Root.Folder(Path.of("/srv/root")), Limits.DEFAULT, Rights.root(1_900_000_000L), ALL);
        assertThat(spec.mounts().stream().filter(Mount.Overlay.class::isInstance))
                .hasSize(1);
        assertThat(((Mount.Overlay) spec.mounts().getFirst()).lowers()).containsExactly(ETC.toString(), "/srv/root");
    }

    @Test
    void aLiveMountComesLastAndShowsItsOwnerAsTheAgent() {
        Terms terms = Terms.DEFAULT.with(List.of(new LiveMount(Path.of("/src/app"), "/home/agent/app", true, false)));
        StartRequest plain = request(HOST, Limits.DEFAULT);
        StartRequest request = new StartRequest(
                plain.sandbox(),
                plain.hostname(),
                plain.home(),
                plain.slot(),
                plain.runtime(),
                plain.image(),
                plain.limits(),
                terms,
                plain.disk(),
                plain.runFolder(),
                plain.folder());
        assertThat(MountPlan.of(request, OciRuntime.CRUN, Rights.root(1_900_000_000L), ETC, Path.of("/opt/neuron")))
                .endsWith(new Mount.Live("/src/app", "/home/agent/app", true, false, 1000, 1000, "/home/agent"));
    }

    @Test
    void theNeuronIsShownReadOnly() {
        assertThat(start(HOST, Limits.DEFAULT, Rights.root(1_900_000_000L), ALL).mounts())
                .contains(new Mount.Bind("/opt/neuron", "/run/cortex/neuron", true, false, false, true, true));
    }

    @Test
    void theConfigTakesAllPowerAndAllNamespaces() {
        JsonNode config = config(Rights.root(1_900_000_000L));
        assertThat(config.at("/process/noNewPrivileges").asBoolean()).isTrue();
        assertThat(config.at("/process/capabilities/ambient").size()).isZero();
        assertThat(config.at("/process/capabilities/inheritable").size()).isZero();
        assertThat(config.at("/process/capabilities/bounding").toString())
                .doesNotContain("SYS_ADMIN", "SYS_PTRACE", "NET_ADMIN", "NET_RAW", "MKNOD", "SYS_RESOURCE");
        assertThat(config.at("/linux/namespaces")
                        .valueStream()
                        .map(namespace -> namespace.path("type").asString()))
                .containsExactlyInAnyOrder("pid", "network", "ipc", "uts", "mount", "user", "cgroup");
        assertThat(config.at("/linux/seccomp/defaultAction").asString()).isEqualTo("SCMP_ACT_ERRNO");
        assertThat(config.at("/linux/maskedPaths").toString()).contains("/proc/kcore", "/sys/firmware");
        assertThat(config.at("/linux").has("resources")).isFalse();
        assertThat(config.path("hostname").asString()).isEqualTo("api");
    }

    @Test
    void theMarkIsALimitOfTheFirstProcess() {
        JsonNode limits = config(Rights.root(1_900_000_000L)).at("/process/rlimits");
        JsonNode locks = limits.valueStream()
                .filter(limit -> limit.path("type").asString().equals("RLIMIT_LOCKS"))
                .findFirst()
                .orElseThrow();
        assertThat(locks.path("soft").asLong()).isEqualTo(Mark.of(ID));
        assertThat(locks.path("hard").toString()).isEqualTo("18446744073709551615");
    }

    @Test
    void limitsBecomeTheControlGroups() {
        LaunchSpec spec = start(HOST, new Limits(1L << 30, 1.5, 77, 0), Rights.root(1_900_000_000L), ALL);
        assertThat(spec.cgroup())
                .contains(new LaunchSpec.Cgroup("cortex-1f2e3d4c/" + ID, 1L << 30, 77, 150_000, 100_000, 1_024, 0));
        assertThat(start(HOST, new Limits(0, 2, 0, 0), Rights.root(1_900_000_000L), ALL)
                        .cgroup())
                .hasValueSatisfying(group -> assertThat(group.cpus()).isEqualTo(2));
    }

    @Test
    void aControllerThatCannotBeUsedGetsNoLimit() {
        LaunchSpec spec =
                start(HOST, Limits.DEFAULT, Rights.root(1_900_000_000L), new Probed.Cgroups("v1", List.of("pids")));
        assertThat(spec.cgroup()).hasValueSatisfying(group -> {
            assertThat(group.memoryBytes()).isZero();
            assertThat(group.pids()).isEqualTo(1_024);
        });
    }

    @Test
    void stopNeedsNothingButTheRequest() {
        StopSpec spec = OciLaunch.stop(
                new StopRequest(ID, HOME, Optional.empty(), Path.of("/run/c/x"), Path.of("/h/sandboxes/x")),
                "crun",
                "/usr/bin/crun",
                false);
        assertThat(spec.cgroupName()).contains("cortex-1f2e3d4c/" + ID);
        assertThat(spec.mark()).isEqualTo(Mark.of(ID));
        assertThat(spec.bundle()).contains("/run/c/x/bundle");
        assertThat(spec.runtime().stateRoot()).contains("/run/c/x/bundle/state/crun");
        assertThat(spec.rootless()).isEmpty();
    }

    @Test
    void theHandleComesBackAsItWasWrittenAndSaysHowTheDiskIsStored() {
        OciSandboxHandle handle = new OciSandboxHandle(
                new FirstProcess(7, 8, "boot"),
                new SocketFile("/run/c/x/n.sock", 25, 4_242),
                "crun",
                "/usr/bin/crun",
                Rights.ROOTLESS,
                OciSandboxHandle.diskOf(Rights.ROOTLESS),
                Optional.empty());
        Handle stored = handle.write(ID);
        assertThat(OciSandboxHandle.read(stored)).isEqualTo(handle);
        assertThat(stored.data()).contains("rootless");
        assertThat(OciSandboxHandle.understand(new Handle("process", 1, ID, stored.data())))
                .isEmpty();
    }

    @Test
    void twoSandboxesOfAHomeHaveRangesThatDoNotTouch() {
        long one = UidReserve.base(HOME, 0);
        long two = UidReserve.base(HOME, 1);
        assertThat(Math.abs(one - two)).isGreaterThanOrEqualTo(UidReserve.SIZE);
        for (int slot : new int[] {0, 1, 4_093}) {
            assertThat(UidReserve.base(HOME, slot)).isBetween(0x7000_0000L, 0x7FFD_FFFFL - UidReserve.SIZE + 1);
        }
    }

    @Test
    void moreSandboxesThanRangesIsCapacity() {
        assertThat(catchThrowableOfType(CortexException.class, () -> UidReserve.base(HOME, 4_094))
                        .code())
                .isEqualTo(ErrorCode.CAPACITY);
    }

    @Test
    void allThatLiesInMemoryStaysUnderTheLimit() {
        for (long limit : new long[] {64L << 20, 256L << 20, 2L << 30, 64L << 30}) {
            TmpfsSizes sizes = TmpfsSizes.under(limit);
            assertThat(sizes.tmp() + sizes.shm() + sizes.run()).isLessThan(limit);
            assertThat(sizes.tmp()).isLessThanOrEqualTo(limit / 2);
        }
        assertThat(TmpfsSizes.under(0).tmp()).isPositive();
    }
}
