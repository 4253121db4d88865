package dev.cortex.drivers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cortex.sandbox.driver.Capabilities.Capability;
import dev.cortex.testkit.driver.DriverContract;
import dev.cortex.testkit.driver.DriverUnderTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Needs root, crun, the launcher and the neuron. */
final class OciDriverIT extends DriverContract {
    private static final OciSubject SUBJECT = new OciSubject("host");

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }

    @Override
    protected DriverUnderTest subject() {
        return SUBJECT;
    }

    @Test
    void asRootItIsolatesAndLimits() {
        assertThat(subject().driver().capabilities().all())
                .contains(
                        Capability.ISOLATION,
                        Capability.IMAGES,
                        Capability.USERS,
                        Capability.MEMORY_LIMIT,
                        Capability.PROCESS_LIMIT,
                        Capability.CPU_LIMIT);
    }
}
