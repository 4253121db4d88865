package dev.cortex.drivers.oci;

import dev.cortex.testkit.driver.DriverContract;
import dev.cortex.testkit.driver.DriverUnderTest;
import org.junit.jupiter.api.AfterAll;

/** Needs root, gVisor as {@code ./dev runsc} builds it, the launcher and the neuron. */
final class OciRunscDriverIT extends DriverContract {
    private static final OciSubject SUBJECT = new OciSubject("host", "runsc");

    @AfterAll
    static void deleteImages() {
        SUBJECT.close();
    }

    @Override
    protected DriverUnderTest subject() {
        return SUBJECT;
    }
}
