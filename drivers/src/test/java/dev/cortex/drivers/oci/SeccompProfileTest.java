package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.terms.Rights.Seccomp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

final class SeccompProfileTest {
    @ParameterizedTest
    @EnumSource(Seccomp.class)
    void everyListRefusesWhatItDoesNotKnowAsAnOlderKernelWould(Seccomp profile) {
        JsonNode list = SeccompProfile.of(profile, OciRuntime.CRUN);
        assertThat(list.path("defaultAction").asString()).isEqualTo("SCMP_ACT_ERRNO");
        assertThat(list.path("defaultErrnoRet").asInt()).isEqualTo(38);
    }

    @ParameterizedTest
    @EnumSource(Seccomp.class)
    void aRuntimeWithItsOwnKernelIsAskedForNoAnswerButNotPermitted(Seccomp profile) {
        JsonNode list = SeccompProfile.of(profile, OciRuntime.RUNSC);
        assertThat(list.path("defaultAction").asString()).isEqualTo("SCMP_ACT_ALLOW");
        List<String> refused = new ArrayList<>();
        for (JsonNode rule : list.path("syscalls")) {
            assertThat(rule.path("action").asString()).isEqualTo("SCMP_ACT_ERRNO");
            assertThat(rule.path("errnoRet").asInt()).isEqualTo(1);
            rule.path("names").forEach(name -> refused.add(name.asString()));
        }
        assertThat(refused).contains("bpf", "keyctl", "open_by_handle_at").doesNotContain("clone3", "read");
        assertThat(refused.contains("ptrace")).isEqualTo(profile != Seccomp.DEBUG);
        assertThat(refused.contains("mount")).isEqualTo(profile != Seccomp.NESTED);
    }
}
