package dev.cortex.drivers.launch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HeldProcessesTest {
    @Test
    void aStatusIsSaidAsWaitGivesIt() {
        assertThat(HeldProcesses.words(9)).isEqualTo("its first process was ended by signal 9 (KILL)");
        assertThat(HeldProcesses.words(139)).isEqualTo("its first process was ended by signal 11 (SEGV)");
        assertThat(HeldProcesses.words(35)).isEqualTo("its first process was ended by signal 35");
        assertThat(HeldProcesses.words(2 << 8)).isEqualTo("its first process exited with status 2");
    }
}
