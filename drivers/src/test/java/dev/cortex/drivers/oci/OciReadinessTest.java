package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.drivers.launch.Probed;
import dev.cortex.sandbox.driver.Readiness;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class OciReadinessTest {
    private static final Probed.Cgroups ALL = new Probed.Cgroups("v2", List.of("memory", "pids", "cpu", "freezer"));
    private static final Probed.Cgroups NONE = new Probed.Cgroups("v2", List.of());
    private static final List<Probed.SubRange> RANGE = List.of(new Probed.SubRange(100_000, 65_536));
    private static final List<Probed.Runtime> CRUN =
            List.of(new Probed.Runtime("crun", "/usr/bin/crun", Optional.of("crun version 1.8.1"), Optional.empty()));

    private static Probed root(boolean idmapped, List<Probed.Runtime> runtimes, Probed.Cgroups cgroups) {
        return new Probed(
                "6.1",
                0,
                Optional.of("root"),
                cgroups,
                true,
                true,
                false,
                idmapped,
                true,
                true,
                true,
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                runtimes,
                Map.of("idmapped_mounts", "EINVAL"));
    }

    private static Probed user(List<Probed.SubRange> ranges, Optional<String> newuidmap) {
        return new Probed(
                "6.1",
                1_000,
                Optional.of("ada"),
                NONE,
                true,
                false,
                true,
                false,
                true,
                true,
                true,
                ranges,
                ranges,
                newuidmap,
                newuidmap,
                CRUN,
                Map.of());
    }

    private static Readiness readiness(Probed host) {
        return OciReadiness.of(host, Optional.empty(), new AsRoot(host.root(), true));
    }

    private static List<String> fixes(Readiness readiness) {
        return readiness.missing().stream().map(Readiness.Missing::fix).toList();
    }

    @Test
    void aHostWithEverythingIsReadyAndNamesTheRuntime() {
        Readiness readiness = readiness(root(true, CRUN, ALL));
        assertThat(readiness.ready()).isTrue();
        assertThat(readiness.runtime()).contains("crun");
        assertThat(readiness.notes()).isEmpty();
    }

    @Test
    void aMissingRuntimeIsToldWithTheCommandThatInstallsIt() {
        Readiness readiness = readiness(root(true, List.of(), ALL));
        assertThat(readiness.missing())
                .containsExactly(new Readiness.Missing(
                        "crun is missing", "apt-get install -y --no-install-recommends crun", true));
    }

    @Test
    void anyRuntimeWillDoUnlessOneIsAskedFor() {
        List<Probed.Runtime> runc =
                List.of(new Probed.Runtime("runc", "/usr/sbin/runc", Optional.of("runc 1.1.5"), Optional.empty()));
        assertThat(readiness(root(true, runc, ALL)).runtime()).contains("runc");
        assertThat(OciReadiness.of(root(true, runc, ALL), Optional.of(OciRuntime.CRUN))
                        .missing())
                .containsExactly(new Readiness.Missing(
                        "crun is missing", "apt-get install -y --no-install-recommends crun", true));
    }

    @Test
    void gvisorGoesFirstWhenItWorksAndOnlyThen() {
        Probed.Runtime works =
                new Probed.Runtime("runsc", "/h/tools/runsc", Optional.of("release-20260905.0"), Optional.empty());
        Probed.Runtime old =
                new Probed.Runtime("runsc", "/usr/bin/runsc", Optional.of("20221219"), Optional.of("it is old"));
        List<Probed.Runtime> both = List.of(CRUN.getFirst(), works);
        Readiness readiness = readiness(root(true, both, ALL));
        assertThat(readiness.runtime()).contains("runsc");
        assertThat(readiness.notes()).anyMatch(note -> note.contains("gVisor"));
        assertThat(readiness(root(true, List.of(CRUN.getFirst(), old), ALL)).runtime())
                .contains("crun");
        assertThat(OciReadiness.of(root(true, List.of(old), ALL), Optional.of(OciRuntime.RUNSC))
                        .missing())
                .containsExactly(new Readiness.Missing("it is old", "cortex doctor --fix", false));
        assertThat(OciReadiness.of(root(true, CRUN, ALL), Optional.of(OciRuntime.RUNSC))
                        .missing())
                .containsExactly(new Readiness.Missing("gVisor is missing", "cortex doctor --fix", false));
    }

    @Test
    void aRuntimeThatDoesNotAnswerDoesNotCount() {
        List<Probed.Runtime> silent =
                List.of(new Probed.Runtime("crun", "/usr/bin/crun", Optional.empty(), Optional.empty()));
        assertThat(readiness(root(true, silent, ALL)).ready()).isFalse();
    }

    @Test
    void aFactThatFailedIsToldInTheSystemsWords() {
        Readiness readiness = readiness(root(false, CRUN, ALL));
        assertThat(readiness.missing()).hasSize(1);
        assertThat(readiness.missing().getFirst().what()).endsWith("EINVAL");
        assertThat(readiness.missing().getFirst().installable()).isFalse();
    }

    @Test
    void limitsThatDoNotHoldAreNoted() {
        assertThat(readiness(root(true, CRUN, NONE)).notes()).hasSize(3);
    }

    @Test
    void anOrdinaryUserWithSubordinateIdsIsReady() {
        Readiness readiness = readiness(user(RANGE, Optional.of("/usr/bin/newuidmap")));
        assertThat(readiness.missing()).isEmpty();
        assertThat(readiness.notes()).anyMatch(note -> note.startsWith("no memory, process and cpu limits"));
    }

    @Test
    void anOrdinaryUserIsToldWhatRootMustDo() {
        assertThat(fixes(readiness(user(List.of(), Optional.empty()))))
                .containsExactly(
                        "sudo apt-get install -y --no-install-recommends uidmap",
                        "sudo usermod --add-subuids 100000-165535 ada",
                        "sudo usermod --add-subgids 100000-165535 ada");
    }

    @Test
    void aRangeThatIsTooShortDoesNotCount() {
        List<Probed.SubRange> shortRange = List.of(new Probed.SubRange(100_000, 1_000));
        assertThat(readiness(user(shortRange, Optional.of("/usr/bin/newuidmap")))
                        .missing())
                .hasSize(2);
    }

    @Test
    void whoHasNoSudoIsNotToldToUseIt() {
        Readiness.Missing missing = OciReadiness.of(
                        user(RANGE, Optional.empty()), Optional.empty(), new AsRoot(false, false))
                .missing()
                .getFirst();
        assertThat(missing.fix()).isEqualTo("su -c 'apt-get install -y --no-install-recommends uidmap'");
        assertThat(missing.installable()).isFalse();
    }

    @Test
    void aUserWithoutANameIsNotCalledByAVariable() {
        Probed nameless = new Probed(
                "6.1",
                1_000,
                Optional.empty(),
                NONE,
                true,
                false,
                true,
                false,
                true,
                true,
                true,
                List.of(),
                List.of(),
                Optional.of("/usr/bin/newuidmap"),
                Optional.of("/usr/bin/newgidmap"),
                CRUN,
                Map.of());
        Readiness.Missing missing = OciReadiness.of(nameless, Optional.empty(), new AsRoot(false, true))
                .missing()
                .getFirst();
        assertThat(missing.what()).isEqualTo("this user has no 65,535 subordinate uids");
        assertThat(missing.fix()).isEqualTo("sudo usermod --add-subuids 100000-165535 \"$(id -un)\"");
    }
}
